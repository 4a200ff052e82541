#include "isolation/capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace instar::isolation {

Result<void> keep_capabilities(std::uint32_t kept) {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      return fail(Error::system("cannot empty the capability bounding set", errno));
    }
  }
  if (::prctl(PR_SET_SECUREBITS,
              SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
              0, 0, 0) != 0) {
    return fail(Error::system("cannot lock the capability rules", errno));
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) {
    return fail(Error::system("cannot read capabilities", errno));
  }
  data[0] = {.effective = data[0].permitted & kept,
             .permitted = data[0].permitted & kept,
             .inheritable = 0};
  data[1] = {.effective = 0, .permitted = 0, .inheritable = 0};
  if (::syscall(SYS_capset, &header, data.data()) != 0) {
    return fail(Error::system("cannot drop capabilities", errno));
  }
  return {};
}

bool drop_all_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

}  // namespace instar::isolation
