#pragma once

#include <span>

namespace instar::engine {

/// The one-sided exact Wilcoxon rank-sum test (Mann and Whitney 1947): how likely ranks as low as
/// those of `low` are when both samples come from one distribution. Exact also with ties, by
/// counting every split of the pooled mid-ranks. No assumption about the shape of the noise, which
/// on a shared machine is nothing like normal.
///
/// With five samples each the smallest value it can give is 1/252. Gives 1 when a sample is empty,
/// not finite, or larger than kMaxRankSamples.
double rank_sum_p(std::span<const double> low, std::span<const double> high);

inline constexpr std::size_t kMaxRankSamples = 200;

double median(std::span<const double> values);  ///< 0 for none

}  // namespace instar::engine
