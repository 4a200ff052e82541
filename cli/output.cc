#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace instar::cli {

namespace {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid_input";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kHostCannot:
      return "host_cannot";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kIntegrity:
      return "integrity";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

}  // namespace

void print_json(nlohmann::json object) {
  object["schema_version"] = 1;
  // Text of a variant may be no valid UTF-8: it is replaced, never allowed to break the object.
  // ASCII only: on a terminal a control character of a name would act, and JSON leaves some as they
  // are.
  const std::string text = object.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
}

void print_error(const Error& error, bool json) {
  if (json) {
    print_json(
        {{"error",
          {{"code", name_of(error.code)}, {"message", error.message}, {"hint", error.hint}}}});
    return;
  }
  std::fprintf(stderr, "instar: %s\n", escape_for_terminal(error.message, true).c_str());
  if (!error.hint.empty()) {
    std::fprintf(stderr, "  hint: %s\n", escape_for_terminal(error.hint, true).c_str());
  }
}

int flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0) return errno != 0 ? errno : EIO;
  if (std::ferror(stdout) == 0) return 0;
  // A write failed earlier and its reason is gone: one more tells it again. What it adds, a line
  // end, is behind output that is not whole anyway.
  std::fputc('\n', stdout);
  errno = 0;
  return std::fflush(stdout) != 0 && errno != 0 ? errno : EIO;
}

Error lost_output(int err) {
  Error error = Error::system("cannot write to standard output", err);
  error.hint = "what was printed there is not whole";
  return error;
}

}  // namespace instar::cli
