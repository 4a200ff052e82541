#include "engine/evaluation/report_bounds.h"

#include "base/text.h"

namespace instar::engine {

Result<void> check_report_size(std::string_view text) {
  if (text.size() > kMaxReportBytes) {
    return bad_report("it has " + std::to_string(text.size()) + " bytes, more than the " +
                      std::to_string(kMaxReportBytes) + " that are read");
  }
  return {};
}

Result<void> TestCollector::add(TestRecord test) {
  if (test.name.empty()) return bad_report("a test has no name");
  if (test.name.size() + test.classname.size() > kMaxReportNameBytes) {
    return bad_report("the id of a test is longer than " + std::to_string(kMaxReportNameBytes) +
                      " bytes");
  }
  if (tests_.size() == kMaxReportTests) {
    return bad_report("it has more than " + std::to_string(kMaxReportTests) + " tests");
  }
  if (!seen_.emplace(test.classname, test.name).second) {
    return bad_report("the test " + escape_for_terminal(test.classname + " " + test.name) +
                      " stands in it twice");
  }
  tests_.push_back(std::move(test));
  return {};
}

TestRecord split_test_id(std::string_view id) {
  const auto at = id.find("::");
  if (at == std::string_view::npos) return {.classname = {}, .name = std::string(id)};
  return {.classname = std::string(id.substr(0, at)), .name = std::string(id.substr(at + 2))};
}

Result<std::vector<TestRecord>> parse_test_list(std::string_view text) {
  INSTAR_CHECK(check_report_size(text));
  TestCollector collector;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.empty()) break;
    // Escaped: an id goes into the ledger, which holds only valid UTF-8.
    INSTAR_CHECK(collector.add(split_test_id(escape_for_terminal(line))));
  }
  if (collector.size() == 0) return bad_report("it lists no test");
  return collector.take();
}

}  // namespace instar::engine
