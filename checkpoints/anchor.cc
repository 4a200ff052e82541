#include "checkpoints/anchor.h"

#include <charconv>

#include "checkpoints/ledger_position.h"
#include "checkpoints/ref_names.h"

namespace instar::checkpoints {

namespace {

Result<std::optional<std::string>> anchor_target(CheckpointStore& store, const std::string& run) {
  const std::string name = anchor_ref(run);
  const auto refs = INSTAR_TRY(store.refs(name));
  for (const Ref& ref : refs) {
    if (ref.name == name) return std::optional(ref.target_hex);
  }
  return std::optional<std::string>{};
}

}  // namespace

Result<void> write_anchor(CheckpointStore& store, const std::string& run,
                          const LedgerPosition& position) {
  const auto current = INSTAR_TRY(anchor_target(store, run));
  const BlobId blob = INSTAR_TRY(store.write_blob(format_position(position, ' ') + "\n"));
  return store.move_ref(anchor_ref(run), blob.hex(), current);
}

Result<std::optional<Anchor>> read_anchor(CheckpointStore& store, const std::string& run) {
  const auto target = INSTAR_TRY(anchor_target(store, run));
  if (!target) return std::optional<Anchor>{};
  const auto blob = BlobId::parse(*target);
  const auto text = blob ? store.read(*blob) : fail(ErrorCode::kIntegrity, "it is a symbolic ref");
  if (!text) {
    return fail(ErrorCode::kIntegrity,
                anchor_ref(run) + " cannot be read: " + text.error().message);
  }
  const auto position =
      text->ends_with('\n') ? parse_position({text->data(), text->size() - 1}, ' ') : std::nullopt;
  if (!position) {
    return fail(ErrorCode::kIntegrity, anchor_ref(run) + " does not hold a ledger position");
  }
  return std::optional(Anchor{*position});
}

}  // namespace instar::checkpoints
