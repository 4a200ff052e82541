#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/run_directory.h"

namespace instar::engine {

/// What a variant did to the tests, by their ids as reports show them.
struct VariantTests {
  std::vector<std::string> failing;        ///< now
  std::vector<std::string> newly_failing;  ///< of those, the ones that passed on the base
  std::vector<std::string> mended;         ///< passed now, failing on the base
};

/// Read from the records of the baseline and of the variant's judgement; empty lists when it was
/// not judged or no stage reports tests.
Result<VariantTests> variant_tests(const checkpoints::RunDirectory& run,
                                   const std::string& variant);

}  // namespace instar::engine
