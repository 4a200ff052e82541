#pragma once

#include <cstdint>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell.h"
#include "isolation/launcher_protocol.h"
#include "isolation/layer_store.h"

namespace instar::isolation {

/// Engine side. The directory of the workspace, held.
Result<Fd> ask_to_open(int socket, const WorkspaceOrder& order,
                       const std::vector<FileChange>& changes);
Result<LayerStore::Pair> ask_to_snapshot(int socket, const WorkspaceOrder& order);
/// Not waited for.
Result<void> ask_to_close(int socket, std::uint64_t id);

/// Launcher side: does what is asked and answers. False when the engine cannot be reached.
bool serve_order(int socket, LayerStore& store, const WorkspaceOrder& order, int changes);

}  // namespace instar::isolation
