#include "cli/inherited_limits.h"

#include <signal.h>
#include <sys/resource.h>

#include <cerrno>

namespace instar::cli {

Result<void> meet_inherited_limits() {
  // The signal would end a run between a record and its effect. Cells get its default back.
  ::signal(SIGXFSZ, SIG_IGN);
  // Compilers reserve frames of some KiB here and there, and a launcher's buffers are larger.
  constexpr rlim_t kLeastStack = 1 << 20;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) {
    return fail(Error::system("cannot read the limits of this process", errno));
  }
  if (stack.rlim_cur >= kLeastStack) return {};
  return fail(ErrorCode::kHostCannot,
              "the stack is limited to " + std::to_string(stack.rlim_cur / 1024) +
                  " KiB, and 1024 are needed",
              "run `ulimit -s 8192` first");
}

}  // namespace instar::cli
