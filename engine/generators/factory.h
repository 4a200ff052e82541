#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "checkpoints/store.h"
#include "engine/config/target.h"
#include "engine/generators/generator.h"

namespace instar::engine {

/// The generator that `config.kind` names; null when there is none of that kind (the loader of
/// instar.yaml refuses such a name first). `store` must outlive it. `may_change` tells whether the
/// surface lets a variant change a path: the generator proposes nothing elsewhere, so that no
/// evaluation slot is spent on edits the edit window would refuse. The window still decides.
std::unique_ptr<Generator> make_generator(const GeneratorConfig& config,
                                          checkpoints::CheckpointStore& store,
                                          std::function<bool(const std::string& path)> may_change,
                                          std::uint64_t seed);

}  // namespace instar::engine
