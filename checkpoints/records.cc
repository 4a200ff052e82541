#include "checkpoints/records.h"

#include <nlohmann/json.hpp>

#include "checkpoints/ledger_position.h"
#include "checkpoints/message.h"

namespace instar::checkpoints {

namespace {

using nlohmann::json;

/// Thrown and caught in this file only, so that a decoder reads as the list of its fields.
struct BadField {
  std::string name;
};

const json& field(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) throw BadField{name};
  return *found;
}

std::string text(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_string()) throw BadField{name};
  return value.get<std::string>();
}

template <class Id>
Id id_from(const json& value, const char* name) {
  const auto id = value.is_string() ? Id::parse(value.get_ref<const std::string&>()) : std::nullopt;
  if (!id) throw BadField{name};
  return *id;
}

template <class Id>
Id id(const json& object, const char* name) {
  return id_from<Id>(field(object, name), name);
}

std::uint64_t number(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_number_unsigned()) throw BadField{name};
  return value.get<std::uint64_t>();
}

LedgerPosition position(const json& object, const char* name) {
  const json& value = field(object, name);
  const auto hash = Digest::parse(text(value, "sha256"));
  if (!hash) throw BadField{name};
  return {.seq = number(value, "seq"), .hash = *hash};
}

template <class Decode>
auto decode(const LedgerRecord& record, const Decode& from) -> Result<decltype(from(json()))> {
  const std::string where =
      "record " + std::to_string(record.position.seq) + " (" + record.type + ")";
  const json object = json::parse(record.line, nullptr, false);
  if (object.is_discarded()) return fail(ErrorCode::kIntegrity, where + " is not JSON");
  try {
    return from(object);
  } catch (const BadField& bad) {
    return fail(ErrorCode::kIntegrity, where + " has no proper `" + bad.name + "`");
  }
}

}  // namespace

Result<RunStarted> decode_run_started(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    return RunStarted{.level = text(object, "level"),
                      .policy_sha256 = text(object, "policy_sha256"),
                      .target_sha256 = text(object, "target_sha256"),
                      .base_commit = id<CommitId>(object, "base_commit"),
                      .base_tree = id<TreeId>(object, "base_tree")};
  });
}

Result<Admitted> decode_admitted(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    return Admitted{.variant = text(object, "variant"), .generator = text(object, "generator")};
  });
}

Result<Judged> decode_judged(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    Judged judged{
        .variant = text(object, "variant"), .verdict = text(object, "verdict"), .metrics = {}};
    for (const auto& [name, value] : field(field(object, "evaluation"), "metrics").items()) {
      if (!value.is_number()) throw BadField{name};
      judged.metrics.emplace_back(name, format_metric(value.get<double>()));
    }
    return judged;
  });
}

Result<Accepted> decode_accepted(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    Accepted accepted{.variant = text(object, "variant"),
                      .commit = id<CommitId>(object, "commit"),
                      .tree = id<TreeId>(object, "tree"),
                      .ref = text(object, "ref"),
                      .parents = {},
                      .judged = position(object, "judged")};
    for (const json& parent : field(object, "parents")) {
      accepted.parents.push_back(id_from<CommitId>(parent, "parents"));
    }
    return accepted;
  });
}

Result<ChampionMove> decode_champion_move(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    ChampionMove move{.from = std::nullopt, .to = id<CommitId>(object, "to")};
    const json& from = field(object, "from");
    if (!from.is_null()) move.from = id_from<CommitId>(from, "from");
    return move;
  });
}

Result<Segment> decode_segment(const LedgerRecord& record) {
  return decode(record, [](const json& object) {
    const auto hash = Digest::parse(text(object, "hash"));
    if (!hash) throw BadField{"hash"};
    Segment segment{.hash = *hash, .entries = {}};
    for (const json& entry : field(object, "entries")) {
      segment.entries.push_back({.name = text(entry, "name"),
                                 .offset = number(entry, "offset"),
                                 .size = number(entry, "size")});
    }
    return segment;
  });
}

}  // namespace instar::checkpoints
