#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/sha256.h"

namespace instar::checkpoints {

/// The fields that the ledger itself gives every record.
inline constexpr const char* kEnvelope[] = {"v", "seq", "ts", "run", "type", "prev"};

/// Where a record stands: its sequence number (from 1) and the SHA-256 of its line without the
/// newline.
struct LedgerPosition {
  std::uint64_t seq = 0;
  Digest hash;
};

/// The append end of a run's record. JSON Lines; each line is
/// {"v":1,"seq","ts","run","type","prev",…fields}, `prev` being the hash of the line before (the
/// first: 64 zeros). Tamper-evident, not tamper-proof. One writer at a time: the run's lock is held
/// by the caller (run_directory.h). Not thread-safe.
class Ledger {
 public:
  /// Opens for append and checks the chain of what is there. A torn last line (no newline) is moved
  /// to `ledger.torn` and reported by `torn()`; any other break is kIntegrity. A missing file
  /// begins a new ledger.
  static Result<Ledger> open(const std::filesystem::path& file, std::string run,
                             const Clock& clock);

  /// Appends one record with one write. `fields` must be an object without a key of `kEnvelope`;
  /// its strings are written by `as_utf8` (json_text.h), a number that is not finite is refused.
  /// When the disk is full the file is cut back to its last whole record.
  Result<LedgerPosition> append(std::string_view type, const nlohmann::json& fields);
  /// Makes everything appended so far survive a power cut. Called before any effect that others can
  /// see. After a failure the ledger takes no more records: what is on disk is unknown then.
  Result<void> sync();

  [[nodiscard]] const LedgerPosition& last() const { return last_; }
  [[nodiscard]] bool torn() const { return torn_; }

 private:
  Ledger(Fd fd, std::filesystem::path file, std::string run, const Clock& clock);
  Result<void> check_usable() const;
  Error cut_back(Error error);
  Fd fd_;
  std::filesystem::path file_;
  std::string run_;
  const Clock* clock_;
  LedgerPosition last_;
  std::uint64_t size_ = 0;  ///< of the whole records, in bytes
  bool torn_ = false;
  bool failed_ = false;  ///< what is on disk is not known any more
};

/// One record as read back.
struct LedgerRecord {
  LedgerPosition position;
  std::string type;
  std::string ts;
  std::string line;  ///< the exact bytes, without the newline; parse for the fields
};

struct LedgerContents {
  std::string run;  ///< that all records name; empty when there are none
  std::vector<LedgerRecord> records;
  bool torn_tail = false;
};

/// Reads and checks the whole chain; a break is kIntegrity naming line and reason.
Result<LedgerContents> read_ledger(const std::filesystem::path& file);

}  // namespace instar::checkpoints
