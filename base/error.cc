#include "base/error.h"

#include <system_error>

namespace instar {

namespace {

/// What usually mends the few errno values that a user can mend.
const char* hint_for(int err) {
  switch (err) {
    case ENOSPC:
    case EDQUOT:
      return "free some disk space, then run the command again; nothing half-written was kept";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check who owns the path and that it is writable for this user";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n), or lower --jobs";
    case EAGAIN:
      return "raise the limit of processes and threads (ulimit -u), or lower --jobs";
    default:
      return "";
  }
}

}  // namespace

Error Error::system(const std::string& doing, int err) {
  return Error{.code = ErrorCode::kIo,
               .message = doing + ": " + std::generic_category().message(err),
               .hint = hint_for(err),
               .sys_errno = err};
}

}  // namespace instar
