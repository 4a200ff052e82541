#include "checkpoints/ref_target.h"

namespace instar::checkpoints {

Result<std::optional<std::string>> ref_target(CheckpointStore& store, const std::string& name) {
  const auto refs = INSTAR_TRY(store.refs(name));
  for (const Ref& ref : refs) {
    if (ref.name == name) return std::optional(ref.target_hex);
  }
  return std::optional<std::string>{};
}

}  // namespace instar::checkpoints
