#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// What may be taken out of a tree that a hostile program wrote.
struct BrokerCaps {
  std::uint64_t bytes = 64 * kMiB;  ///< of all files together
  std::uint64_t files = 1000;
};

/// The declared outputs of a command below a held directory, in order, each with its bytes or the
/// reason why it stayed. Only when no cell runs there. What leaves is a regular file with one link,
/// reached through no symlink and within the caps.
std::vector<OutputFile> collect_outputs(int root, const std::vector<std::string>& names,
                                        const BrokerCaps& caps);

}  // namespace instar::isolation
