#include "checkpoints/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/random.h"
#include "base/text.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

Result<RunId> RunId::parse(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  if (text.empty() || text.size() > 64 || !plain || text.front() == '-') {
    return fail(ErrorCode::kInvalidInput,
                "'" + escape_for_terminal(text.substr(0, 80)) + "' is not a run id",
                "use 1 to 64 of a-z, 0-9 and '-', not beginning with '-'");
  }
  return RunId(std::string(text));
}

RunId RunId::generate(const Clock& clock) {
  const std::string now = format_utc(clock.now());  // 2026-01-31T12:34:56.789Z
  std::string text;
  for (const char c : now.substr(0, 19)) {
    if (c == 'T') text += '-';
    if (c >= '0' && c <= '9') text += c;
  }
  return RunId(text + "-" + random_hex(4));
}

namespace {

fs::path runs_of(const fs::path& common_dir) { return common_dir / "instar" / "runs"; }

Result<void> make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  Error error = Error::system("cannot create " + path.string(), errno);
  error.hint = "the run's record is kept there: make the git directory writable, or free space";
  return fail(std::move(error));
}

/// Everything of a new run, in a directory that is not one yet.
Result<void> fill(const fs::path& directory, const PinnedFiles& pinned) {
  INSTAR_CHECK(make_directory(directory));
  INSTAR_CHECK(make_directory(directory / "segments"));
  INSTAR_CHECK(write_file_atomic(directory / "policy.yaml", pinned.policy));
  INSTAR_CHECK(write_file_atomic(directory / "instar.yaml", pinned.target));
  return write_file_atomic(directory / "lock", "");
}

Result<void> publish(const fs::path& made, const fs::path& path, const RunId& run) {
  // NOREPLACE: of two engines that choose the same id, one must lose.
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return sync_directory(path.parent_path());
  }
  if (errno == EEXIST || errno == ENOTEMPTY) {
    return fail(ErrorCode::kInvalidInput, "there is a run '" + run.str() + "' already",
                "choose another --run-id, or continue it with `instar resume " + run.str() + "`");
  }
  return fail(Error::system("cannot create " + path.string(), errno));
}

}  // namespace

Result<RunDirectory> RunDirectory::create(const fs::path& common_dir, const RunId& run,
                                          const PinnedFiles& pinned) {
  const fs::path runs = runs_of(common_dir);
  INSTAR_CHECK(make_directory(runs.parent_path()));
  INSTAR_CHECK(make_directory(runs));
  const fs::path path = runs / run.str();
  const fs::path made = runs / (".new-" + random_hex(8));  // no run id begins with a dot
  auto created = fill(made, pinned);
  if (created) created = publish(made, path, run);
  if (!created) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    return fail(created.error());
  }
  return RunDirectory(run, path);
}

Result<RunDirectory> RunDirectory::open(const fs::path& common_dir, const RunId& run) {
  const fs::path path = runs_of(common_dir) / run.str();
  std::error_code error;
  if (fs::is_directory(path, error)) return RunDirectory(run, path);
  return fail(ErrorCode::kNotFound, "there is no run '" + run.str() + "' in this repository",
              "`instar log --runs` lists the runs");
}

Result<std::vector<RunId>> RunDirectory::list(const fs::path& common_dir) {
  struct Found {
    fs::file_time_type created;
    RunId run;
  };
  std::vector<Found> found;
  std::error_code error;
  for (fs::directory_iterator at(runs_of(common_dir), error), end; !error && at != end;
       at.increment(error)) {
    auto run = RunId::parse(at->path().filename().string());
    std::error_code no_time;
    // The pinned policy is written once, when the run is made; a run that has lost it is still one.
    auto created = fs::last_write_time(at->path() / "policy.yaml", no_time);
    if (no_time) created = fs::last_write_time(at->path(), no_time);
    if (run && !no_time) found.push_back({created, *std::move(run)});
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Error::system("cannot list " + runs_of(common_dir).string(), error.value()));
  }
  std::ranges::sort(found, [](const Found& a, const Found& b) {
    return std::tie(b.created, b.run) < std::tie(a.created, a.run);
  });
  std::vector<RunId> runs;
  for (Found& one : found) runs.push_back(std::move(one.run));
  return runs;
}

namespace {

/// A write lock on the whole file. It belongs to the open file, not to the process, and can be
/// asked about without being taken.
struct flock whole_file() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

}  // namespace

Result<RunLock> RunDirectory::lock() const {
  const fs::path file = path_ / "lock";
  Fd fd = INSTAR_TRY(open_file(file, O_RDWR | O_CREAT | O_NOFOLLOW, 0644));
  struct flock range = whole_file();
  if (::fcntl(fd.get(), F_OFD_SETLK, &range) != 0) {
    if (errno != EAGAIN && errno != EACCES) {
      return fail(Error::system("cannot lock " + file.string(), errno));
    }
    const auto holder = read_file(file, 64);
    const std::string pid = holder && !holder->empty() ? std::string(trim(*holder)) : "";
    return fail(
        ErrorCode::kBusy,
        "the run '" + run_.str() + "' is in use by process" + (pid.empty() ? "" : " ") + pid,
        "wait for it, or stop it as Ctrl-C does: kill -INT " + (pid.empty() ? "PID" : pid));
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail(Error::system("cannot write to " + file.string(), errno));
  }
  return RunLock(std::move(fd));
}

Result<bool> RunDirectory::in_use() const {
  const fs::path file = path_ / "lock";
  const auto fd = open_file(file, O_RDONLY | O_NOFOLLOW);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return false;
  if (!fd) return fail(fd.error());
  struct flock range = whole_file();
  if (::fcntl(fd->get(), F_OFD_GETLK, &range) != 0) {
    return fail(Error::system("cannot ask about the lock " + file.string(), errno));
  }
  return range.l_type != F_UNLCK;
}

}  // namespace instar::checkpoints
