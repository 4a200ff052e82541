#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isolation/limits.h"

namespace instar::isolation {

/// How a cell isolates, weakest first: the order is the order of strength.
enum class Level { kGuarded, kNamespace, kContainer };
std::string_view to_string(Level level);
std::optional<Level> parse_level(std::string_view name);

/// One file of the workspace that differs from the template.
struct FileChange {
  std::string path;  ///< relative, `/`-separated, already checked by the edit window
  std::optional<std::string> content;  ///< nothing: the file is absent
  bool executable = false;
};

/// What a workspace is made of.
struct WorkspaceSpec {
  std::filesystem::path base;  ///< host directory, only read; every entry named `.git` is left out
  std::vector<FileChange> changes;  ///< laid over the base
  unsigned slot = 0;  ///< whose kernel user owns the files; one slot runs one cell at a time
  /// Files and symlinks of the base that no command may change. Held by the levels that can
  /// (namespace, as root); others only leave them to whoever looks afterwards. Borrowed.
  std::span<const std::string> sealed{};
  Limits limits{};  ///< of which it has bytes and inodes, where the level bounds the workspace
};

/// The files that the commands of one attempt work in. Carries forward from stage to stage;
/// processes do not. Removed with everything in it at the end of its life.
class Workspace {
 public:
  virtual ~Workspace() = default;
  /// Its directory, held by the workspace until the next snapshot. Read below it only by
  /// descriptors (beneath.h), and only when no cell runs in it.
  [[nodiscard]] virtual int directory() const = 0;
  /// One that is as this one is now: each repeat of a stage starts from the same. Use one of the
  /// two at a time. kRefused: what the commands made of it cannot be copied within `limits` (bytes,
  /// files, nesting, shut files).
  virtual Result<std::unique_ptr<Workspace>> snapshot(const Limits& limits) = 0;
};

struct EnvVar {
  std::string name;
  std::string value;
};

/// What a command may do to the files of its workspace. $INSTAR_OUT, TMPDIR and HOME are writable
/// either way.
enum class WorkspaceAccess { kWritable, kReadOnly };

/// One command to run, once, in one cell.
struct CellSpec {
  std::vector<std::string> argv;
  /// Added to what every cell has: PATH, HOME, LANG, TMPDIR, INSTAR_WORK, INSTAR_OUT. Nothing is
  /// inherited.
  std::vector<EnvVar> env;
  /// Files that may leave, relative to $INSTAR_OUT. Anything else written there is dropped.
  std::vector<std::string> outputs;
  Limits limits;
  unsigned slot = 0;
  WorkspaceAccess access = WorkspaceAccess::kWritable;
};

enum class Outcome { kExited, kSignalled, kTimeout, kLimit, kViolated, kSetupFailed };
std::string_view to_string(Outcome outcome);

/// A stream of the command as it was kept: the first and the last part, and how much there was in
/// all.
struct CapturedStream {
  std::string head;
  std::string tail;  ///< empty when everything fitted into head
  std::uint64_t total_bytes = 0;
};

/// What became of a declared output.
struct OutputFile {
  std::string path;
  std::string bytes;    ///< empty where it did not leave
  std::string refused;  ///< empty where it left; else why not: missing, too large …
};

/// What became of the command. A hostile or killed command is a report; only our own failure is an
/// Error.
struct CellReport {
  Outcome outcome = Outcome::kSetupFailed;
  std::optional<int> exit_code;  ///< with kExited
  int signal = 0;                ///< with kSignalled
  std::string reason;            ///< one sentence for a person
  std::string limit;             ///< memory|processes|cpu|wall|workspace|inodes|file_size, or empty
  double wall_s = 0;
  double cpu_s = 0;                     ///< whole tree, user and system
  std::uint64_t peak_memory_bytes = 0;  ///< see enforced["memory"] for of what
  CapturedStream out;
  CapturedStream err;
  std::vector<OutputFile> outputs;  ///< one per declared output, in order
  /// What held each limit or guard: {"memory":"cgroup|watch|rlimit|none", …}. Never claims more
  /// than was done.
  std::map<std::string, std::string> enforced;
};

/// Makes cells of one level. Implementations are safe to call from several threads, each with a
/// slot of its own.
class CellProvider {
 public:
  virtual ~CellProvider() = default;
  /// A directory of the host for what the caller makes for its cells, e.g. the files that
  /// workspaces are copied from: on their file system, out of every cell's sight, removed with the
  /// provider or, where this process is killed, by the next one that starts.
  [[nodiscard]] virtual const std::filesystem::path& scratch() const = 0;
  virtual Result<std::unique_ptr<Workspace>> open_workspace(const WorkspaceSpec& spec) = 0;
  /// Runs the command to its end, or to a limit, or until `stop` is asked for (then outcome
  /// kSignalled, reason "stopped"). Every process of the cell is dead and reaped when this returns.
  /// An Error means that no part of the command ran, or (kInternal) that what held the cell was
  /// lost under it and nothing is known of what ran.
  virtual Result<CellReport> run(const CellSpec& spec, Workspace& workspace,
                                 std::stop_token stop) = 0;
};

}  // namespace instar::isolation
