#include "engine/generators/factory.h"

#include "engine/generators/mutate.h"

namespace instar::engine {

std::unique_ptr<Generator> make_generator(const GeneratorConfig& config,
                                          checkpoints::CheckpointStore& store,
                                          std::function<bool(const std::string& path)> may_change,
                                          std::uint64_t seed) {
  if (config.kind != "mutate") return nullptr;
  return std::make_unique<MutateGenerator>(store, std::move(may_change), seed);
}

}  // namespace instar::engine
