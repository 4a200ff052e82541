#include "engine/evaluation/assemble.h"

#include <algorithm>

#include "engine/config/metric_names.h"

namespace instar::engine {

namespace {

double combine(std::string_view name, double so_far, double more) {
  return name == "peak_memory_bytes" ? std::max(so_far, more) : so_far + more;
}

}  // namespace

Evaluation assemble(const Target& target, std::span<const StageRun> runs, const TestBase& base,
                    std::uint64_t patch_lines, std::uint64_t patch_files) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  std::size_t passed = 0;
  for (const std::string& total : resource_metrics()) evaluation.metrics[total] = 0;
  for (std::size_t i = 0; i < target.evaluate.size(); ++i) {
    const Stage& stage = target.evaluate[i];
    const StageRun* run = i < runs.size() ? &runs[i] : nullptr;
    if (reports_tests(stage)) evaluation.tests.merge(stage_tests(stage, run, base));
    if (run == nullptr) continue;
    evaluation.metrics.insert(run->metrics.begin(), run->metrics.end());
    for (const std::string& total : resource_metrics()) {
      const auto measured = run->metrics.find(stage.name + "." + total);
      if (measured == run->metrics.end()) continue;
      double& sum = evaluation.metrics[total];
      sum = combine(total, sum, measured->second);
    }
    if (run->verdict == Verdict::kPassed) {
      ++passed;
      continue;
    }
    evaluation.verdict = run->verdict;
    evaluation.reason = run->reason;
    evaluation.stage = stage.name;
    evaluation.output_excerpt = run->excerpt;
  }
  evaluation.metrics["stages.failed"] = static_cast<double>(target.evaluate.size() - passed);
  evaluation.metrics["patch.lines"] = static_cast<double>(patch_lines);
  evaluation.metrics["patch.files"] = static_cast<double>(patch_files);
  if (std::any_of(target.evaluate.begin(), target.evaluate.end(), reports_tests)) {
    add_test_metrics(evaluation.tests, base, evaluation.metrics);
  }
  return evaluation;
}

void add_total_samples(const Target& target, Samples& samples) {
  for (const std::string& total : resource_metrics()) {
    std::vector<double> sums;
    for (const Stage& stage : target.evaluate) {
      const auto found = samples.find(stage.name + "." + total);
      if (found == samples.end()) return;
      if (sums.empty()) sums.resize(found->second.size(), 0);
      if (sums.size() != found->second.size()) return;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = combine(total, sums[i], found->second[i]);
      }
    }
    samples[total] = std::move(sums);
  }
}

}  // namespace instar::engine
