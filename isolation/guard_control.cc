#include "isolation/guard_control.h"

#ifdef INSTAR_TEST_CONTROLS

#include <array>
#include <cstddef>

namespace instar::isolation {

namespace {
std::array<bool, 10>& switches() {
  static std::array<bool, 10> off{};
  return off;
}
}  // namespace

void set_guard_off(Guard guard, bool off) { switches().at(static_cast<std::size_t>(guard)) = off; }
bool guard_off(Guard guard) { return switches().at(static_cast<std::size_t>(guard)); }

}  // namespace instar::isolation

#endif
