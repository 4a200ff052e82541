#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "base/files.h"
#include "checkpoints/segments.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;

class SegmentsTest : public testing::Test {
 protected:
  Segment write(const std::vector<std::string>& texts) {
    SegmentWriter writer(directory_.path());
    for (const auto& text : texts) EXPECT_TRUE(writer.add("v" + text.substr(0, 3), text));
    return writer.flush().value().value();
  }
  TempDir directory_ = TempDir::create("instar-test").value();
};

RC_GTEST_FIXTURE_PROP(SegmentsTest, EveryTextComesBack, (const std::vector<std::string>& texts)) {
  RC_PRE(!texts.empty());
  const Segment segment = write(texts);
  SegmentReader reader(directory_.path());
  RC_ASSERT(segment.entries.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& entry = segment.entries[i];
    RC_ASSERT(reader.read(segment.hash, entry.offset, entry.size).value() == texts[i]);
  }
}

TEST_F(SegmentsTest, NothingPendingWritesNothing) {
  SegmentWriter writer(directory_.path());
  EXPECT_FALSE(writer.flush().value());
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(SegmentsTest, AChangedFileIsRefusedBeforeItIsUnpacked) {
  const Segment segment = write({"some text", "more"});
  const fs::path file = directory_.path() / (segment.hash.hex() + ".zst");
  std::string bytes = read_file(file, 1000).value();
  SegmentReader(directory_.path()).read(segment.hash, 0, 9).value();
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(SegmentReader(directory_.path()).read(segment.hash, 0, 9).error().code,
            ErrorCode::kIntegrity);
  fs::remove(file);
  EXPECT_EQ(SegmentReader(directory_.path()).read(segment.hash, 0, 9).error().code,
            ErrorCode::kNotFound);
}

TEST_F(SegmentsTest, ReadsNothingOutsideTheSegment) {
  const Segment segment = write({"some text"});
  SegmentReader reader(directory_.path());
  EXPECT_TRUE(reader.read(segment.hash, 9, 0));
  EXPECT_EQ(reader.read(segment.hash, 5, 5).error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(reader.read(segment.hash, 1, ~0ULL).error().code, ErrorCode::kIntegrity);
}

TEST_F(SegmentsTest, AFailedFlushKeepsWhatIsPending) {
  SegmentWriter writer(directory_.path() / "missing");
  ASSERT_TRUE(writer.add("v1", "text"));
  EXPECT_EQ(writer.flush().error().code, ErrorCode::kIo);
  fs::create_directory(directory_.path() / "missing");
  EXPECT_TRUE(writer.flush().value());
}

TEST_F(SegmentsTest, ASegmentThatWouldUnpackTooLargeIsRefused) {
  SegmentWriter writer(directory_.path());
  const std::string large(kLargestSegment, 'x');
  ASSERT_TRUE(writer.add("v1", large));
  EXPECT_EQ(writer.add("v2", "x").error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace instar::checkpoints
