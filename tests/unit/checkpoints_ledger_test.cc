#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "checkpoints/json_text.h"
#include "checkpoints/ledger.h"
#include "checkpoints/ledger_line.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/manual_clock.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LedgerTest : public testing::Test {
 protected:
  Result<Ledger> open() { return Ledger::open(file_, "run-1", clock_); }
  std::string bytes() const { return read_file(file_, 1UL << 30).value(); }
  void write(const std::string& bytes) { std::ofstream(file_, std::ios::binary) << bytes; }
  /// Three records, as bytes.
  std::string three_records() {
    auto ledger = open().value();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(ledger.append("judged", {{"variant", "v" + std::to_string(i)}}));
    }
    return bytes();
  }

  TempDir directory_ = TempDir::create("instar-test").value();
  fs::path file_ = directory_.path() / "ledger.jsonl";
  ManualClock clock_;
};

TEST_F(LedgerTest, WritesTheDocumentedLine) {
  auto ledger = open().value();
  const auto position = ledger.append("run_started", {{"b", 1}, {"a", "x"}}).value();
  const std::string line =
      R"({"v":1,"seq":1,"ts":"2027-01-15T08:00:00.000Z","run":"run-1","type":"run_started","prev":")" +
      std::string(64, '0') + R"(","a":"x","b":1})";
  EXPECT_EQ(bytes(), line + "\n");
  EXPECT_EQ(position.seq, 1U);
  EXPECT_EQ(position.hash, sha256(line));
  EXPECT_TRUE(ledger.append("run_ended", json::object()));
  EXPECT_THAT(bytes(), testing::EndsWith("\"prev\":\"" + position.hash.hex() + "\"}\n"));
}

TEST_F(LedgerTest, ContinuesAfterBeingOpenedAgain) {
  const std::string before = three_records();
  auto ledger = open().value();
  EXPECT_EQ(ledger.last().seq, 3U);
  EXPECT_FALSE(ledger.torn());
  EXPECT_EQ(ledger.append("judged", json::object())->seq, 4U);
  const auto contents = read_ledger(file_).value();
  ASSERT_EQ(contents.records.size(), 4U);
  EXPECT_EQ(contents.records[1].type, "judged");
  EXPECT_EQ(json::parse(contents.records[1].line)["variant"], "v1");
  EXPECT_THAT(bytes(), testing::StartsWith(before));
}

TEST_F(LedgerTest, SetsATornTailAside) {
  const std::string whole = three_records();
  write(whole + "{\"v\":1,\"se");
  EXPECT_TRUE(read_ledger(file_)->torn_tail) << "reading leaves the file";
  EXPECT_EQ(bytes(), whole + "{\"v\":1,\"se");
  auto ledger = open().value();
  EXPECT_TRUE(ledger.torn());
  EXPECT_EQ(ledger.last().seq, 3U);
  EXPECT_EQ(bytes(), whole);
  EXPECT_EQ(read_file(directory_.path() / "ledger.torn", 1000).value(), "{\"v\":1,\"se\n");
  EXPECT_TRUE(ledger.append("judged", json::object()));
  EXPECT_FALSE(read_ledger(file_)->torn_tail);
}

TEST_F(LedgerTest, EveryDroppedSwappedRepeatedOrForeignRecordIsABreak) {
  const std::string whole = three_records();
  std::vector<std::string> lines;
  std::istringstream stream(whole);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  const auto code = [&](const std::string& bytes) {
    write(bytes);
    const auto read = read_ledger(file_);
    const auto opened = open();
    EXPECT_EQ(read.has_value(), opened.has_value());
    return read ? std::nullopt : std::optional(read.error().code);
  };
  EXPECT_EQ(code(lines[1] + lines[2]), ErrorCode::kIntegrity);
  EXPECT_EQ(code(lines[0] + lines[2]), ErrorCode::kIntegrity);
  EXPECT_EQ(code(lines[0] + lines[2] + lines[1]), ErrorCode::kIntegrity);
  EXPECT_EQ(code(lines[0] + lines[1] + lines[1]), ErrorCode::kIntegrity);
  EXPECT_EQ(code(lines[0] + "\n" + lines[1]), ErrorCode::kIntegrity);
  EXPECT_EQ(code(lines[0] + lines[1]), std::nullopt) << "a cut tail is the anchor's to show";
  EXPECT_EQ(code(whole), std::nullopt);
  write(whole);
  EXPECT_EQ(Ledger::open(file_, "run-2", clock_).error().code, ErrorCode::kIntegrity);
}

TEST_F(LedgerTest, ABreakIsNamedByItsLine) {
  std::string whole = three_records();
  whole[whole.find("v1")] = 'w';
  write(whole);
  const auto error = read_ledger(file_).error();
  EXPECT_THAT(error.message, testing::HasSubstr("ledger.jsonl:3: the chain is broken: `prev`"));
  EXPECT_FALSE(error.hint.empty());
  EXPECT_EQ(bytes(), whole);
}

TEST_F(LedgerTest, AZeroByteBetweenTheLastTwoRecordsIsABreak) {
  std::string whole = three_records();
  whole[whole.rfind('\n', whole.size() - 2)] = '\0';
  write(whole);
  EXPECT_EQ(read_ledger(file_).error().code, ErrorCode::kIntegrity);
}

RC_GTEST_FIXTURE_PROP(LedgerTest, AnyChangedByteBeforeTheLastRecordIsABreak, ()) {
  fs::remove(file_);
  const std::string whole = three_records();
  const std::size_t last = whole.rfind('\n', whole.size() - 2);
  std::string changed = whole;
  const auto at = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, last + 1));
  const auto byte = *rc::gen::arbitrary<char>();
  RC_PRE(changed[at] != byte);
  changed[at] = byte;
  write(changed);
  const auto read = read_ledger(file_);
  RC_ASSERT(!read);
  RC_ASSERT(read.error().code == ErrorCode::kIntegrity);
}

RC_GTEST_FIXTURE_PROP(LedgerTest, AnyStringComesBackAsValidText, (const std::string& text)) {
  fs::remove(file_);
  RC_ASSERT(open()->append("judged", {{"text", text}}).has_value());
  const auto contents = read_ledger(file_).value();
  const auto back = json::parse(contents.records[0].line)["text"].get<std::string>();
  RC_ASSERT(back == as_utf8(text));
}

TEST_F(LedgerTest, KeepsValidTextAndEscapesOtherBytes) {
  const std::string valid = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x9B \n\t\x01 \\x41";
  EXPECT_EQ(as_utf8(valid), valid);
  EXPECT_EQ(as_utf8("a\xFFz"), "a\\xffz");
  EXPECT_EQ(as_utf8("\xC0\x80"), "\\xc0\\x80") << "overlong";
  EXPECT_EQ(as_utf8("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(as_utf8("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last code point";
  EXPECT_EQ(as_utf8("\xE2\x82"), "\\xe2\\x82") << "cut";
}

TEST_F(LedgerTest, RefusesWhatItCouldNotGiveBack) {
  auto ledger = open().value();
  const auto code = [&](const char* type, const json& fields) {
    const auto appended = ledger.append(type, fields);
    return appended ? std::nullopt : std::optional(appended.error().code);
  };
  EXPECT_EQ(code("judged", {{"x", std::nan("")}}), ErrorCode::kInternal);
  EXPECT_EQ(code("judged", {{"deep", {{"x", {1.0, HUGE_VAL}}}}}), ErrorCode::kInternal);
  EXPECT_EQ(code("judged", {{"prev", "x"}}), ErrorCode::kInternal);
  EXPECT_EQ(code("judged", json::array()), ErrorCode::kInternal);
  EXPECT_EQ(code("Bad \"type\"", json::object()), ErrorCode::kInternal);
  EXPECT_EQ(code("judged", {{"x", std::string(kLongestLine + 1, 'x')}}), ErrorCode::kInvalidInput);
  EXPECT_EQ(bytes(), "");
  EXPECT_EQ(code("judged", {{"x", 0.1}}), std::nullopt);
}

TEST_F(LedgerTest, TheSecondWriterIsRefused) {
  auto one = open().value();
  auto two = open().value();
  EXPECT_TRUE(one.append("judged", json::object()));
  EXPECT_EQ(two.append("judged", json::object()).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(one.append("judged", json::object()));
  EXPECT_TRUE(read_ledger(file_));
}

TEST_F(LedgerTest, AFullDiskLeavesOnlyWholeRecords) {
  const std::string whole = three_records();
  auto ledger = open().value();
  {
    const FileSizeLimit limit(whole.size() + 100);
    const auto error = ledger.append("judged", {{"x", std::string(500, 'x')}}).error();
    EXPECT_EQ(error.code, ErrorCode::kIo);
    EXPECT_FALSE(error.hint.empty());
  }
  EXPECT_EQ(bytes(), whole);
  EXPECT_EQ(ledger.append("judged", json::object())->seq, 4U) << "space was freed";
  EXPECT_TRUE(read_ledger(file_));
}

TEST_F(LedgerTest, ReadsALedgerOfManyChunks) {
  {
    auto ledger = open().value();
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(
          ledger.append("judged", {{"x", std::string(static_cast<std::size_t>(i) * 5000, 'x')}}));
    }
    ASSERT_TRUE(ledger.sync());
  }
  EXPECT_EQ(read_ledger(file_)->records.size(), 40U);
  EXPECT_EQ(open()->last().seq, 40U);
}

TEST_F(LedgerTest, AMissingFileIsReportedByAReader) {
  EXPECT_FALSE(read_ledger(file_));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(LedgerTest, ALastRecordThatIsNoJsonIsABreak) {
  const std::string whole = three_records();
  write(whole.substr(0, whole.size() - 3) + "x}\n");
  EXPECT_EQ(read_ledger(file_).error().code, ErrorCode::kIntegrity);
}

}  // namespace
}  // namespace instar::checkpoints
