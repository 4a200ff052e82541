#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isolation/output_capture.h"

namespace instar::isolation {
namespace {

RC_GTEST_PROP(OutputCapture, KeepsBothEndsWhateverThePieces, (std::vector<std::string> pieces)) {
  const auto most = *rc::gen::inRange<std::uint64_t>(1, 40);
  OutputCapture capture(most);
  std::string whole;
  for (const auto& piece : pieces) {
    capture.feed(piece);
    whole += piece;
  }
  const CapturedStream kept = std::move(capture).finish();
  RC_ASSERT(kept.total_bytes == whole.size());
  if (whole.size() <= most) {
    RC_ASSERT(kept.head == whole);
    RC_ASSERT(kept.tail.empty());
  } else {
    RC_ASSERT(kept.head == whole.substr(0, most - most / 2));
    RC_ASSERT(kept.tail == whole.substr(whole.size() - most / 2));
  }
}

}  // namespace
}  // namespace instar::isolation
