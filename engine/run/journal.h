#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checkpoints/ledger.h"

namespace instar::engine {

/// The seam to the ledger, so that the loop runs in a unit test without a disk.
///
/// A resumed run makes every decision again from the same seed. Each record has a key (type and id)
/// that occurs once in a run: what is on record already is compared, not written twice, so a
/// decision can neither be repeated nor silently change. A difference is kIntegrity.
class Journal {
 public:
  virtual ~Journal() = default;
  /// Appends, or finds on record, the one record of this type with this `id`.
  virtual Result<checkpoints::LedgerPosition> record(std::string_view type, const std::string& id,
                                                     const nlohmann::json& fields) = 0;
  /// The fields of an earlier stretch's record, or nothing.
  [[nodiscard]] virtual std::optional<nlohmann::json> find(std::string_view type,
                                                           const std::string& id) const = 0;
  /// Whether this record is of an earlier stretch and a later one that moves the same thing
  /// followed: its effect is history.
  [[nodiscard]] virtual bool superseded(std::string_view type, const std::string& id) const = 0;
  /// Makes everything recorded so far survive a power cut: called before any effect that others can
  /// see.
  virtual Result<void> sync() = 0;
  /// Keeps a variant's patch, compressed, for `show` and `diff`.
  virtual Result<void> keep_patch(const std::string& variant, std::string patch) = 0;
};

}  // namespace instar::engine
