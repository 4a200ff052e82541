#include "engine/run/history.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.h"
#include "checkpoints/ledger.h"
#include "checkpoints/ledger_line.h"

namespace instar::engine {

namespace {

using nlohmann::json;

struct NotAWord {
  std::string text;
};

/// An id, a verdict, a name of ours: what is printed as it is. A repository may come from anywhere,
/// and a ledger's chain says only that it was not changed after it was made.
std::string word(const json& value) {
  auto text = value.get<std::string>();
  if (!checkpoints::is_plain_word(text)) throw NotAWord{std::move(text)};
  return text;
}

/// Builds a RunHistory record by record.
class Reader {
 public:
  explicit Reader(RunHistory& history) : history_(history) {}

  void read(const checkpoints::LedgerRecord& record) {
    const json fields = json::parse(record.line);
    const std::string& type = record.type;
    follow_decision(type);
    if (type == "run_started") {
      started(fields, record.ts);
    } else if (type == "resumed") {
      history_.ended.reset();
    } else if (type == "baseline") {
      history_.baseline = fields.at("evaluation").at("metrics").get<Metrics>();
    } else if (type == "admitted") {
      admitted(fields, record.ts);
    } else if (type == "refused" || type == "duplicate") {
      ++history_.generated;
      ++(type == "refused" ? history_.refused : history_.duplicate);
    } else if (type == "segment") {
      for (const json& entry : fields.at("entries")) place_patch(fields.at("hash"), entry);
    } else if (type == "rollback") {
      history_.rollbacks.push_back(
          {.variant = fields.at("variant"), .results = results_, .proposals = history_.generated});
      champion_moved(fields);
      history_.champion_by_rollback = true;
    } else if (type == "run_ended") {
      history_.ended = word(fields.at("ended"));
    } else if (fields.contains("variant")) {
      about_variant(type, fields, record.ts);
    }
  }

 private:
  /// A result is decided by `rejected`, or by `accepted` and then perhaps `champion`; what a
  /// resumed run writes before it comes there again says nothing.
  void follow_decision(const std::string& type) {
    if (type == "judged") {
      ++results_;
      history_.mid_decision = true;
    } else if (type != "contest" && type != "accepted" && type != "resumed" && type != "segment") {
      history_.mid_decision = false;
    }
  }

  void champion_moved(const json& fields) {
    history_.champion = word(fields.at("variant"));
    const json& from = fields.at("from");
    history_.champion_from = from.is_null() ? "" : word(from);
  }

  void started(const json& fields, const std::string& ts) {
    history_.run = word(fields.at("run"));
    history_.started = ts;
    history_.base_commit = word(fields.at("base_commit"));
    history_.base_tree = word(fields.at("base_tree"));
    history_.base_ref = fields.at("base_ref");
    history_.policy_sha256 = fields.at("policy_sha256");
    history_.target_name = fields.at("target");
    history_.level = word(fields.at("level"));
    history_.generator = word(fields.at("generator"));
    history_.seed = fields.at("seed");
    history_.objectives = fields.value("objectives", std::vector<std::string>{"tests.failed"});
  }

  void admitted(const json& fields, const std::string& ts) {
    ++history_.generated;
    HistoryEntry entry;
    entry.n = fields.at("n");
    entry.id = word(fields.at("variant"));
    entry.tree = word(fields.at("tree"));
    for (const json& parent : fields.at("parents")) entry.parents.push_back(word(parent));
    entry.generator = word(fields.at("generator"));
    entry.family = word(fields.at("family"));
    entry.purpose = fields.at("purpose");
    entry.patch_lines = fields.at("patch").at("lines");
    entry.patch_files = fields.at("patch").at("files");
    entry.time = ts;
    index_[entry.id] = history_.variants.size();
    history_.variants.push_back(std::move(entry));
  }

  HistoryEntry* entry_of(const std::string& id) {
    const auto found = index_.find(id);
    return found == index_.end() ? nullptr : &history_.variants[found->second];
  }

  void place_patch(const std::string& segment, const json& place) {
    if (HistoryEntry* entry = entry_of(place.at("name"))) {
      entry->patch = PatchPlace{segment, place.at("offset"), place.at("size")};
    }
  }

  void about_variant(const std::string& type, const json& fields, const std::string& ts) {
    HistoryEntry* entry = entry_of(fields.at("variant"));
    if (entry == nullptr) return;
    entry->time = ts;
    if (type == "judged") {
      entry->verdict = word(fields.at("verdict"));
      const json& evaluation = fields.at("evaluation");
      entry->reason = evaluation.at("reason");
      entry->metrics = evaluation.at("metrics").get<Metrics>();
    } else if (type == "accepted") {
      entry->state = type;
      entry->commit = word(fields.at("commit"));
      entry->why = fields.at("why");
    } else if (type == "rejected") {
      entry->state = type;
      entry->why = fields.at("why");
    } else if (type == "champion") {
      champion_moved(fields);
      history_.champion_by_rollback = false;
      entry->crowned_over = history_.champion_from;
    } else if (type == "running" || type == "abandoned") {
      entry->state = type;
    }
  }

  RunHistory& history_;
  std::unordered_map<std::string, std::size_t> index_;
  std::uint64_t results_ = 0;
};

}  // namespace

const HistoryEntry* RunHistory::find(const std::string& id) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const HistoryEntry& entry) { return entry.id == id; });
  return found == variants.end() ? nullptr : &*found;
}

Result<RunHistory> load_history(const checkpoints::RunDirectory& run) {
  const std::string where = run.ledger_file().string();
  const auto contents = checkpoints::read_ledger(run.ledger_file());
  const bool missing = !contents && contents.error().code == ErrorCode::kNotFound;
  if (missing || (contents && contents->records.empty())) {
    return fail(ErrorCode::kNotFound,
                "run " + run.run().str() + " was cut off before its first record",
                "there is nothing to go on with: begin a new one with `instar evolve`");
  }
  if (!contents) return fail(contents.error());
  RunHistory history;
  history.torn_tail = contents->torn_tail;
  Reader reader(history);
  for (const auto& record : contents->records) {
    try {
      reader.read(record);
    } catch (const json::exception& error) {
      return fail(ErrorCode::kIntegrity,
                  "record " + std::to_string(record.position.seq) + " (" + record.type + ") of " +
                      where + " lacks a field or has one of a wrong type: " + error.what(),
                  "`instar verify` checks the whole run");
    } catch (const NotAWord& found) {
      return fail(ErrorCode::kIntegrity,
                  "record " + std::to_string(record.position.seq) + " (" + record.type + ") of " +
                      where + " has '" + escape_for_terminal(found.text) +
                      "' where an id or a name belongs",
                  "`instar verify` checks the whole run");
    }
  }
  if (!history.champion.empty() && history.find(history.champion) == nullptr) {
    return fail(ErrorCode::kIntegrity,
                where + " names a champion, " + escape_for_terminal(history.champion) +
                    ", that it does not tell about",
                "`instar verify` checks the whole run");
  }
  return history;
}

Result<const HistoryEntry*> find_by_prefix(const RunHistory& history, const std::string& prefix) {
  const HistoryEntry* found = nullptr;
  for (const HistoryEntry& entry : history.variants) {
    if (!entry.id.starts_with(prefix)) continue;
    if (found != nullptr) {
      return fail(ErrorCode::kInvalidInput,
                  "several variants of run " + history.run + " begin with '" + prefix + "'",
                  "give more digits: " + found->id + " or " + entry.id);
    }
    found = &entry;
  }
  if (found == nullptr || prefix.empty()) {
    return fail(ErrorCode::kNotFound,
                "no variant of run " + history.run + " begins with '" + prefix + "'",
                "`instar log --all " + history.run + "` lists them");
  }
  return found;
}

}  // namespace instar::engine
