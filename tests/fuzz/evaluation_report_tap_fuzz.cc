#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/evaluation/report.h"

/// Any bytes are read or refused; what is read keeps the bounds that its readers rely on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto report = instar::engine::parse_tap(text);
  if (!report) return 0;
  if (report->tests.size() > instar::engine::kMaxReportTests) std::abort();
  for (const auto& test : report->tests) {
    if (test.name.empty()) std::abort();
  }
  return 0;
}
