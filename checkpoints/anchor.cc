#include "checkpoints/anchor.h"

#include "checkpoints/ledger_position.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/ref_target.h"

namespace instar::checkpoints {

Result<void> write_anchor(CheckpointStore& store, const std::string& run,
                          const LedgerPosition& position) {
  const auto current = INSTAR_TRY(ref_target(store, anchor_ref(run)));
  const BlobId blob = INSTAR_TRY(store.write_blob(format_position(position, ' ') + "\n"));
  return store.move_ref(anchor_ref(run), blob.hex(), current);
}

Result<std::optional<LedgerPosition>> read_anchor(CheckpointStore& store, const std::string& run) {
  const auto target = INSTAR_TRY(ref_target(store, anchor_ref(run)));
  if (!target) return std::optional<LedgerPosition>{};
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
  return position;
}

}  // namespace instar::checkpoints
