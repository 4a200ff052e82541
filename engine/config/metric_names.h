#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instar::engine {

/// Stage names that would collide with measured metrics or with the holdout list.
bool is_reserved_stage(std::string_view name);
/// [a-z0-9_-]+, at most 64 characters.
bool is_stage_name(std::string_view name);

/// Measured of every stage and of the whole attempt: wall_s, cpu_s, peak_memory_bytes.
const std::vector<std::string>& resource_metrics();
/// Every metric that is measured without a stage's name in front, those above included.
const std::vector<std::string>& measured_metrics();

/// Empty when `name` is a measured metric or has the form `<stage>.<name>`; else why it is neither.
/// Whether the stage exists and reports it is not known here.
std::string why_no_metric(std::string_view name);

}  // namespace instar::engine
