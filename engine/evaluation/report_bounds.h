#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/evaluation/report.h"

namespace instar::engine {

/// The Error of a report that cannot be believed.
inline tl::unexpected<Error> bad_report(std::string why) {
  return fail(ErrorCode::kInvalidInput, std::move(why));
}

Result<void> check_report_size(std::string_view text);

/// Collects the tests of one report and refuses what is out of bounds: an empty, over-long or
/// repeated id, or too many of them.
class TestCollector {
 public:
  Result<void> add(TestRecord test);
  [[nodiscard]] std::size_t size() const { return tests_.size(); }
  std::vector<TestRecord> take() { return std::move(tests_); }

 private:
  std::vector<TestRecord> tests_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace instar::engine
