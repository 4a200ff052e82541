#include "isolation/cell_provider.h"

#include <utility>

#include "isolation/cell_slot.h"
#include "isolation/guarded_provider.h"
#include "isolation/namespace_provider.h"

namespace instar::isolation {

Result<std::unique_ptr<CellProvider>> make_cell_provider(const ProviderOptions& options) {
  CellSlots slots = INSTAR_TRY(make_cell_slots(options));
  if (options.level == Level::kNamespace)
    return namespace_cells(std::move(slots), options.patience);
  return guarded_cells(std::move(slots), options.patience);
}

}  // namespace instar::isolation
