#include "engine/evaluation/rank_test.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace instar::engine {

namespace {

/// Twice the mid-rank of each value, so that a shared rank stays a whole number.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& pooled) {
  std::vector<std::size_t> order(pooled.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return pooled[a] < pooled[b]; });
  std::vector<std::size_t> ranks(pooled.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && pooled[order[end]] == pooled[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = begin + end + 1;
    begin = end;
  }
  return ranks;
}

}  // namespace

double rank_sum_p(std::span<const double> low, std::span<const double> high) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (low.empty() || high.empty() || low.size() + high.size() > kMaxRankSamples ||
      !std::all_of(low.begin(), low.end(), finite) ||
      !std::all_of(high.begin(), high.end(), finite)) {
    return 1;
  }
  std::vector<double> pooled(low.begin(), low.end());
  pooled.insert(pooled.end(), high.begin(), high.end());
  const std::vector<std::size_t> ranks = doubled_ranks(pooled);
  std::size_t observed = 0;
  for (std::size_t i = 0; i < low.size(); ++i) observed += ranks[i];

  // splits[k][s]: the probability weight of choosing k of the ranks seen so far with sum s. Sums
  // above the observed one never come back below it and are dropped; `total` counts every split.
  std::vector<std::vector<double>> splits(low.size() + 1, std::vector<double>(observed + 1, 0));
  splits[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t k = low.size(); k-- > 0;) {
      for (std::size_t sum = 0; sum + rank <= observed; ++sum) {
        splits[k + 1][sum + rank] += splits[k][sum];
      }
    }
  }
  double as_low = 0;
  for (const double weight : splits.back()) as_low += weight;
  double total = 1;
  for (std::size_t i = 1; i <= low.size(); ++i) {
    total = total * static_cast<double>(high.size() + i) / static_cast<double>(i);
  }
  return std::min(1.0, as_low / total);
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace instar::engine
