#include "cli/bridge.h"

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "cli/output.h"

namespace instar::cli {

namespace {

/// 0, or the errno of a write that failed now or earlier.
int flush_stdout() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return errno != 0 ? errno : EIO;
}

}  // namespace

Result<ExitCode> run_action(const Action& action) {
  try {
    return action();
  } catch (const std::system_error& error) {
    Error told = Error::system({}, error.code().value());
    told.message = error.what();  // says what was done, and the reason already
    return fail(std::move(told));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kIo, "there is not enough memory", "lower --jobs, or free some memory");
  } catch (const std::exception& error) {
    return fail(
        ErrorCode::kInternal, std::string("an unexpected fault of this program: ") + error.what(),
        "what was recorded before it is kept: `instar verify` checks a run, `instar resume` "
        "goes on with it");
  }
}

int finish(const Result<ExitCode>& result, const Globals& globals) {
  int err = flush_stdout();  // first, so that on a terminal data and error keep their order
  if (!result) print_error(result.error(), globals.json);
  if (err == 0) err = flush_stdout();
  if (err != 0) {
    // The JSON object of the error went the same way as the data.
    if (!result && globals.json) print_error(result.error(), false);
    print_error(Error::system("cannot write to standard output", err), false);
  }
  if (!result) return static_cast<int>(exit_code_of(result.error().code));
  return static_cast<int>(err == 0 ? *result : globals.lost_output);
}

}  // namespace instar::cli
