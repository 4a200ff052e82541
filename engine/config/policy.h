#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "engine/edit_window/surface.h"
#include "isolation/cell.h"
#include "isolation/limits.h"

namespace instar::engine {

/// A key, the value that holds, and where it came from: "safety.yaml:12", "built-in".
struct Effective {
  std::string key;
  std::string value;
  std::string source;
};

/// What the operator vouches for; anything not vouched for raises the required level to container.
struct Trust {
  enum class Generator { kAuto, kTrusted, kUntrusted } generator = Generator::kAuto;
  enum class Host { kDedicated, kShared } host = Host::kDedicated;
  enum class Target { kInert, kSideEffects } target = Target::kInert;
  enum class Secrets { kNone, kHighValue } secrets = Secrets::kNone;
};

/// Hard caps of a run: a request is min(request, cap).
struct RunCaps {
  std::uint64_t variants = 1000;
  std::chrono::seconds wall{8 * 3600};
};

/// Consecutive events that stop a run (DESIGN: breakers).
struct BreakerLimits {
  std::uint64_t stuck = 200;
  std::uint64_t violations = 20;
  std::uint64_t infra = 5;
};

/// The operator's safety.yaml: parsed strictly, fixed for a run, known by the SHA-256 of its bytes.
struct Policy {
  Trust trust;
  isolation::Level floor = isolation::Level::kGuarded;
  std::vector<Sourced> protect;
  isolation::Limits cell;
  std::vector<std::string> cell_require;  ///< e.g. "tree_memory"
  RunCaps run;
  BreakerLimits breakers;

  std::string text;    ///< the exact bytes, pinned into the run
  Digest digest;       ///< SHA-256 of text
  std::string origin;  ///< path, or "built-in default"
  /// Dotted key -> "safety.yaml:12", for keys that were written; "instar.yaml:30" where the target
  /// made them stricter. Empty for the built-in default.
  std::map<std::string, std::string> sources;
};

/// Looks for --policy, $INSTAR_POLICY, /etc/instar/safety.yaml, then the built-in default.
Result<Policy> load_policy(const std::optional<std::filesystem::path>& flag);
/// Parses one policy text; `name` stands in errors as "name:line".
Result<Policy> parse_policy(std::string text, const std::string& name);
/// configs/safety.yaml, as compiled in: its text, and what it says.
std::string_view default_policy_text();
Result<Policy> built_in_policy();

/// Every key with the value that holds and where it was written ("built-in" where it was not).
std::vector<Effective> effective_policy(const Policy& policy);

/// Whether the policy takes no cell whose memory no control group bounds.
bool requires_tree_memory(const Policy& policy);

/// What a run needs, and why.
struct RequiredLevel {
  isolation::Level level = isolation::Level::kGuarded;
  /// The triggers that fired, and the floor where it asks for more than the least or nothing else
  /// asks: "trust.host: shared (safety.yaml:7)".
  std::vector<std::string> reasons;
  bool only_requested = false;  ///< nothing but the request asks for more than the least level
};

/// The floor, raised by the triggers of `trust`. `untrusted_generator`: a model or an external
/// program proposes.
RequiredLevel required_level(const Policy& policy, bool untrusted_generator,
                             std::optional<isolation::Level> requested);
/// kHostCannot, naming what requires the level, when this host cannot give it.
Result<void> require(const RequiredLevel& required);

}  // namespace instar::engine
