#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace instar::checkpoints {

/// The name of a run: [a-z0-9-], 1 to 64 characters, not beginning with '-'.
class RunId {
 public:
  static Result<RunId> parse(std::string_view text);
  /// "20260131-123456-1f2e3d4c": UTC time, then chance; sorts by time.
  static RunId generate(const Clock& clock);
  [[nodiscard]] const std::string& str() const { return text_; }
  auto operator<=>(const RunId&) const = default;

 private:
  explicit RunId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// The exclusive right to write to a run, for as long as this lives. A process that dies gives it
/// back, however it dies.
class RunLock {
 public:
  RunLock(RunLock&&) noexcept = default;
  RunLock& operator=(RunLock&&) noexcept = default;

 private:
  friend class RunDirectory;
  explicit RunLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

/// The two files that a run pins at its start.
struct PinnedFiles {
  std::string policy;  ///< policy.yaml
  std::string target;  ///< instar.yaml
};

/// Where a run's state is: <common git dir>/instar/runs/<run>/.
class RunDirectory {
 public:
  /// Makes the directory of a new run, complete or not at all. A run id that is taken is
  /// kInvalidInput.
  static Result<RunDirectory> create(const std::filesystem::path& common_dir, const RunId& run,
                                     const PinnedFiles& pinned);
  static Result<RunDirectory> open(const std::filesystem::path& common_dir, const RunId& run);
  /// The runs of a repository, the newest first.
  static Result<std::vector<RunId>> list(const std::filesystem::path& common_dir);

  /// Takes the lock, or fails at once with kBusy naming the process that holds it.
  [[nodiscard]] Result<RunLock> lock() const;
  /// Whether a process holds the lock now. Takes and writes nothing, so nobody is kept from it.
  [[nodiscard]] Result<bool> in_use() const;

  [[nodiscard]] const RunId& run() const { return run_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path ledger_file() const { return path_ / "ledger.jsonl"; }
  [[nodiscard]] std::filesystem::path segments() const { return path_ / "segments"; }
  [[nodiscard]] std::filesystem::path policy_file() const { return path_ / "policy.yaml"; }
  [[nodiscard]] std::filesystem::path target_file() const { return path_ / "instar.yaml"; }

 private:
  RunDirectory(RunId run, std::filesystem::path path)
      : run_(std::move(run)), path_(std::move(path)) {}
  RunId run_;
  std::filesystem::path path_;
};

}  // namespace instar::checkpoints
