#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluation/evaluation.h"

namespace instar::cli {

/// A metric's value as a person reads it: "52.1 MiB" for `…_bytes`, "0.114 s" for `…_s`, else the
/// number.
std::string metric_text(std::string_view name, double value);

/// "tests.failed 3 -> 1" where the base has another value, else "tests.failed 1"; empty when it was
/// not measured.
std::string change_text(const std::string& name, const engine::Metrics& metrics,
                        const engine::Metrics& baseline);

/// The same for several metrics, those that were not measured left out, parted by two spaces.
std::string changes_text(const std::vector<std::string>& names, const engine::Metrics& metrics,
                         const engine::Metrics& baseline);

}  // namespace instar::cli
