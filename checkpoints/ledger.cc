#include "checkpoints/ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "checkpoints/json_text.h"
#include "checkpoints/ledger_chain.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

namespace {

/// Keeps the torn bytes for whoever wants to know what was lost, then takes them off the ledger.
Result<void> set_torn_aside(int fd, const fs::path& file, const ChainEnd& end) {
  const fs::path aside = file.parent_path() / "ledger.torn";
  const Fd torn = INSTAR_TRY(open_file(aside, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644));
  INSTAR_CHECK(write_all(torn.get(), end.torn + "\n", aside.string()));
  if (::fsync(torn.get()) != 0) return fail(Error::system("cannot sync " + aside.string(), errno));
  if (::ftruncate(fd, static_cast<off_t>(end.whole_bytes)) != 0 || ::fsync(fd) != 0) {
    return fail(Error::system("cannot cut the torn record off " + file.string(), errno));
  }
  return sync_directory(file.parent_path());
}

}  // namespace

Ledger::Ledger(Fd fd, fs::path file, std::string run, const Clock& clock)
    : fd_(std::move(fd)), file_(std::move(file)), run_(std::move(run)), clock_(&clock) {}

Result<Ledger> Ledger::open(const fs::path& file, std::string run, const Clock& clock) {
  if (!is_plain_word(run)) return fail(ErrorCode::kInternal, "'" + run + "' is no run id");
  std::error_code error;
  const bool exists = fs::exists(file, error);  // unknown counts as new: one sync too many
  Fd fd = INSTAR_TRY(open_file(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0644));
  if (!exists) INSTAR_CHECK(sync_directory(file.parent_path()));
  Ledger ledger(std::move(fd), file, std::move(run), clock);
  bool foreign = false;
  const ChainEnd end =
      INSTAR_TRY(check_chain(ledger.fd_.get(), file.string(), [&](const ChainRecord& record) {
        foreign = foreign || record.head.run != ledger.run_;
      }));
  if (foreign) {
    return fail(ErrorCode::kIntegrity, file.string() + " is the ledger of another run",
                "somebody moved it here; put it back");
  }
  if (!end.torn.empty()) {
    INSTAR_CHECK(set_torn_aside(ledger.fd_.get(), file, end));
    ledger.torn_ = true;
  }
  ledger.last_ = end.last;
  ledger.size_ = end.whole_bytes;
  return ledger;
}

Result<void> Ledger::check_usable() const {
  if (failed_) {
    return fail(ErrorCode::kIo, file_.string() + " could not be written before and is closed now",
                "mend the disk and run `instar resume`");
  }
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) {
    return fail(Error::system("cannot stat " + file_.string(), errno));
  }
  if (static_cast<std::uint64_t>(info.st_size) != size_) {
    return fail(ErrorCode::kBusy, "another process writes to " + file_.string(),
                "one engine per run: stop the other one");
  }
  return {};
}

Error Ledger::cut_back(Error error) {
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) failed_ = true;
  error.hint = "free space on the disk of the git directory, then `instar resume`";
  return error;
}

Result<LedgerPosition> Ledger::append(std::string_view type, const nlohmann::json& fields) {
  INSTAR_CHECK(check_usable());
  if (!is_plain_word(type) || !fields.is_object()) {
    return fail(ErrorCode::kInternal, "a record needs a plain type and an object of fields");
  }
  for (const char* key : kEnvelope) {
    if (fields.contains(key)) {
      return fail(ErrorCode::kInternal, std::string("a record's field is named '") + key + "'");
    }
  }
  const std::string ts = format_utc(clock_->now());
  const std::string prev = last_.hash.hex();
  const LineHead head{.seq = last_.seq + 1, .ts = ts, .run = run_, .type = type, .prev_hex = prev};
  std::string line = format_line(head, INSTAR_TRY(canonical_json(fields, kLongestLine)));
  if (line.size() > kLongestLine) {
    return fail(ErrorCode::kInvalidInput, "a record would be longer than 16 MiB");
  }
  const Digest hash = sha256(line);
  line += '\n';
  if (const auto written = write_all(fd_.get(), line, file_.string()); !written) {
    return fail(cut_back(written.error()));
  }
  size_ += line.size();
  last_ = {.seq = head.seq, .hash = hash};
  return last_;
}

Result<void> Ledger::sync() {
  INSTAR_CHECK(check_usable());
  if (::fdatasync(fd_.get()) == 0) return {};
  // The kernel may have dropped the pages and would say success the next time.
  failed_ = true;
  return fail(Error::system("cannot sync " + file_.string(), errno));
}

Result<LedgerContents> read_ledger(const fs::path& file) {
  const Fd fd = INSTAR_TRY(open_file(file, O_RDONLY | O_NOFOLLOW));
  LedgerContents contents;
  const ChainEnd end =
      INSTAR_TRY(check_chain(fd.get(), file.string(), [&](const ChainRecord& record) {
        contents.run = record.head.run;
        contents.records.push_back({.position = record.position,
                                    .type = std::string(record.head.type),
                                    .ts = std::string(record.head.ts),
                                    .line = std::string(record.line)});
      }));
  contents.torn_tail = !end.torn.empty();
  return contents;
}

}  // namespace instar::checkpoints
