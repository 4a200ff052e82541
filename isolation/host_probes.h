#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instar::isolation {

enum class ProbeStatus { kPass, kWarn, kFail };
std::string_view to_string(ProbeStatus status);  ///< "PASS", "WARN", "FAIL"

/// One thing of the host that was tried.
struct Probe {
  std::string name;
  ProbeStatus status = ProbeStatus::kFail;
  std::string detail;  ///< what was found, one sentence
  std::string fix;     ///< the command or change that mends it; empty for PASS
};

/// Tries each thing that a guarded cell needs or uses, for real, in children of its own, and at the
/// end a whole cell. Call it while this process has one thread.
std::vector<Probe> probe_host();

/// What a guarded cell does not stop on this host, for this user: plain sentences.
std::vector<std::string> not_stopped_by_guarded();

}  // namespace instar::isolation
