#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "checkpoints/run_directory.h"
#include "engine/run/journal.h"

namespace instar::engine {

/// The journal of a real run: ledger.jsonl and the segments of its directory, whose lock the caller
/// holds.
class LedgerJournal final : public Journal {
 public:
  /// Opens what is there, or begins anew in an empty directory.
  static Result<std::unique_ptr<LedgerJournal>> open(const checkpoints::RunDirectory& run,
                                                     const Clock& clock);
  ~LedgerJournal() override;

  Result<checkpoints::LedgerPosition> record(std::string_view type, const std::string& id,
                                             const nlohmann::json& fields) override;
  [[nodiscard]] std::optional<nlohmann::json> find(std::string_view type,
                                                   const std::string& id) const override;
  [[nodiscard]] bool superseded(std::string_view type, const std::string& id) const override;
  Result<void> sync() override;
  Result<void> keep_patch(const std::string& variant, std::string patch) override;

  /// Writes the patches that wait for their segment to be full.
  Result<void> flush_patches();
  /// Where the ledger ends now.
  [[nodiscard]] checkpoints::LedgerPosition last() const;
  /// How many records of this type earlier stretches left.
  [[nodiscard]] std::uint64_t count(std::string_view type) const;
  /// Whether an earlier stretch was cut off inside a record; the torn part was set aside.
  [[nodiscard]] bool torn() const;

 private:
  struct State;
  explicit LedgerJournal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace instar::engine
