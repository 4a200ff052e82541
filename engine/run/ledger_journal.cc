#include "engine/run/ledger_journal.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "checkpoints/records.h"
#include "checkpoints/segments.h"

namespace instar::engine {

namespace {

using checkpoints::LedgerPosition;
using nlohmann::json;

/// Patches of one segment: enough that compression pays, few enough that a crash costs little to
/// make again.
constexpr std::size_t kPatchesPerSegment = 64;

}  // namespace

struct LedgerJournal::State {
  State(checkpoints::Ledger opened, const std::filesystem::path& segments)
      : ledger(std::move(opened)), writer(segments) {}

  struct Earlier {
    LedgerPosition position;
    std::string line;
  };

  checkpoints::Ledger ledger;
  checkpoints::SegmentWriter writer;
  std::size_t waiting_patches = 0;
  std::unordered_map<std::string, Earlier> earlier;  ///< by "type id"
  /// The last record of earlier stretches by `what_it_moves`.
  std::map<std::string, std::string, std::less<>> last_key;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  std::set<std::string> kept_patches;

  /// A rollback moves the champion too: what was crowned before it is history.
  static std::string_view what_it_moves(std::string_view type) {
    return type == "rollback" ? "champion" : type;
  }

  static std::string key(std::string_view type, const std::string& id) {
    return std::string(type) + " " + id;
  }

  Result<void> index(const std::vector<checkpoints::LedgerRecord>& records) {
    for (const auto& record : records) {
      const json fields = json::parse(record.line, nullptr, false);
      if (!fields.is_object() || !fields.contains("id") || !fields["id"].is_string()) {
        return fail(ErrorCode::kIntegrity,
                    "record " + std::to_string(record.position.seq) + " of the ledger has no id");
      }
      const std::string record_key = key(record.type, fields["id"]);
      earlier[record_key] = {record.position, record.line};
      last_key[std::string(what_it_moves(record.type))] = record_key;
      ++counts[record.type];
      if (record.type == "segment") {
        const auto segment = INSTAR_TRY(checkpoints::decode_segment(record));
        for (const auto& entry : segment.entries) kept_patches.insert(entry.name);
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<json> find(const std::string& record_key) const {
    const auto found = earlier.find(record_key);
    if (found == earlier.end()) return std::nullopt;
    json fields = json::parse(found->second.line);
    for (const char* name : checkpoints::kEnvelope) fields.erase(name);
    fields.erase("id");
    return fields;
  }
};

LedgerJournal::LedgerJournal(std::unique_ptr<State> state) : state_(std::move(state)) {}
LedgerJournal::~LedgerJournal() = default;

Result<std::unique_ptr<LedgerJournal>> LedgerJournal::open(const checkpoints::RunDirectory& run,
                                                           const Clock& clock) {
  auto ledger = INSTAR_TRY(checkpoints::Ledger::open(run.ledger_file(), run.run().str(), clock));
  auto state = std::make_unique<State>(std::move(ledger), run.segments());
  const auto contents = INSTAR_TRY(checkpoints::read_ledger(run.ledger_file()));
  INSTAR_CHECK(state->index(contents.records));
  return std::unique_ptr<LedgerJournal>(new LedgerJournal(std::move(state)));
}

Result<LedgerPosition> LedgerJournal::record(std::string_view type, const std::string& id,
                                             const json& fields) {
  const std::string key = State::key(type, id);
  if (const auto before = state_->find(key)) {
    if (*before == fields) return state_->earlier.at(key).position;
    return fail(ErrorCode::kIntegrity,
                "this stretch decides otherwise than the record does: " + key,
                "the program, the target's tools or the host changed since the run began: start a "
                "new run from its champion");
  }
  json with_id = fields;
  with_id["id"] = id;
  return state_->ledger.append(type, with_id);
}

std::optional<json> LedgerJournal::find(std::string_view type, const std::string& id) const {
  return state_->find(State::key(type, id));
}

bool LedgerJournal::superseded(std::string_view type, const std::string& id) const {
  const std::string key = State::key(type, id);
  const auto last = state_->last_key.find(State::what_it_moves(type));
  return state_->earlier.contains(key) && last != state_->last_key.end() && last->second != key;
}

Result<void> LedgerJournal::sync() { return state_->ledger.sync(); }

Result<void> LedgerJournal::keep_patch(const std::string& variant, std::string patch) {
  if (state_->kept_patches.contains(variant)) return {};
  if (state_->writer.pending_bytes() + patch.size() > checkpoints::kLargestSegment) {
    INSTAR_CHECK(flush_patches());
  }
  INSTAR_CHECK(state_->writer.add(variant, patch));
  ++state_->waiting_patches;
  return state_->waiting_patches < kPatchesPerSegment ? Result<void>() : flush_patches();
}

Result<void> LedgerJournal::flush_patches() {
  const auto segment = INSTAR_TRY(state_->writer.flush());
  state_->waiting_patches = 0;
  if (!segment) return {};
  json entries = json::array();
  for (const auto& entry : segment->entries) {
    entries.push_back({{"name", entry.name}, {"offset", entry.offset}, {"size", entry.size}});
    state_->kept_patches.insert(entry.name);
  }
  INSTAR_TRY(record("segment", segment->hash.hex(),
                    {{"hash", segment->hash.hex()}, {"entries", std::move(entries)}}));
  return {};
}

LedgerPosition LedgerJournal::last() const { return state_->ledger.last(); }

std::uint64_t LedgerJournal::count(std::string_view type) const {
  const auto found = state_->counts.find(type);
  return found == state_->counts.end() ? 0 : found->second;
}

bool LedgerJournal::torn() const { return state_->ledger.torn(); }

}  // namespace instar::engine
