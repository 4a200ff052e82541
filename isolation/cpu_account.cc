#include "isolation/cpu_account.h"

#include <algorithm>

namespace instar::isolation {

namespace {
/// The kernel tells whole ticks, of each part alone: less is rounding.
constexpr double kRounding = 0.005;
}  // namespace

void CpuAccount::charge(double gone_s, double arrived_s) {
  if (gone_s > arrived_s + kRounding) lost_s_ += gone_s - arrived_s;
}

std::optional<double> CpuAccount::arrived(const Times& living) const {
  double sum = 0;
  for (const auto& [process, time] : living) {
    const auto before = known_.find(process);
    if (before == known_.end()) continue;
    const auto now = cpu_time_of(process.first);
    if (!now || now->start != process.second) return std::nullopt;
    sum += now->waited_s - before->second.waited_s;
  }
  return sum;
}

void CpuAccount::look(const TreeSample& sample, double reaped_s) {
  Times living;
  for (const auto& [pid, time] : sample.times) living.emplace(Process{pid, time.start}, time);
  for (const auto& [process, time] : known_) {
    if (living.contains(process)) continue;
    // The walk may miss one whose sibling ended under its hands.
    const auto now = cpu_time_of(process.first);
    if (now && now->start == process.second) living.emplace(process, *now);
  }
  bury(living);
  if (gone_s_ > 0) {
    // Asked after the look that found them gone: what they passed on has arrived by now.
    const auto arrived_s = arrived(living);
    if (!arrived_s) return postpone(living);
    charge(gone_s_, *arrived_s + reaped_s - reaped_s_);
    gone_s_ = 0;
  }
  // As the sample has them, not as they are by now: each was seen before its children were, so what
  // a child passes on that the sample has alive is yet to come.
  known_ = std::move(living);
  reaped_s_ = reaped_s;
}

void CpuAccount::bury(const Times& living) {
  std::erase_if(known_, [&](const auto& entry) {
    const auto& [process, time] = entry;
    if (living.contains(process)) return false;
    gone_s_ += time.own_s + time.waited_s;
    return true;
  });
}

void CpuAccount::postpone(const Times& living) {
  for (const auto& [process, time] : living) {
    const auto [known, is_new] = known_.emplace(process, time);
    if (!is_new) known->second.own_s = time.own_s;
  }
}

void CpuAccount::finish(double reaped_s) {
  bury({});
  charge(gone_s_, reaped_s - reaped_s_);
  gone_s_ = 0;
  reaped_s_ = reaped_s;
}

}  // namespace instar::isolation
