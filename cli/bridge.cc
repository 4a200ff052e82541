#include "cli/bridge.h"

#include <new>
#include <string>
#include <system_error>

#include "cli/output.h"

namespace instar::cli {

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
  int err = flush_output();  // first, so that on a terminal data and error keep their order
  if (!result) print_error(result.error(), globals.json);
  if (err == 0) err = flush_output();
  if (err != 0) {
    // The JSON object of the error went the same way as the data.
    if (!result && globals.json) print_error(result.error(), false);
    const Error lost = lost_output(err);
    // A command that flushed has told the same, and more.
    if (result || result.error().message != lost.message) print_error(lost, false);
  }
  if (!result) return static_cast<int>(exit_code_of(result.error().code));
  return static_cast<int>(err == 0 ? *result : globals.lost_output);
}

}  // namespace instar::cli
