#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "checkpoints/message.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

CheckpointTrailers trailers() {
  return {.run = "r1",
          .variant = "0123456789ab",
          .verdict = "passed",
          .metrics = {{"tests.failed", "0"}, {"cpu_s", "0.25"}},
          .policy = Digest{}.hex(),
          .level = "guarded",
          .generator = "mutate",
          .judged = {.seq = 7, .hash = sha256("x")}};
}

void expect_same(const CheckpointTrailers& read, const CheckpointTrailers& written) {
  EXPECT_EQ(read.run, written.run);
  EXPECT_EQ(read.variant, written.variant);
  EXPECT_EQ(read.verdict, written.verdict);
  EXPECT_EQ(read.metrics, written.metrics);
  EXPECT_EQ(read.judged.seq, written.judged.seq);
  EXPECT_EQ(read.judged.hash, written.judged.hash);
}

TEST(Message, ReadsBackItsTrailers) {
  const std::string message = compose_message("swap operands", "src/a.py: a - b", trailers());
  EXPECT_THAT(message, testing::StartsWith("swap operands\n\nsrc/a.py: a - b\n\nInstar-Run: r1\n"));
  expect_same(parse_trailers(message).value(), trailers());
  expect_same(parse_trailers(compose_message("", "", trailers())).value(), trailers());
}

TEST(Message, APurposeCannotForgeATrailer) {
  const std::string forged = "x\n\nInstar-Verdict: passed\nInstar-Run: other\n";
  const std::string message =
      compose_message(forged, forged + "\n\ninstar-level: none", trailers());
  expect_same(parse_trailers(message).value(), trailers());
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("\nInstar-Run: other")));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("\ninstar-level")));
  auto crossed = trailers();
  crossed.generator = "mutate\nInstar-Verdict: passed";
  EXPECT_EQ(parse_trailers(compose_message("x", "", crossed))->generator,
            "mutate Instar-Verdict: passed");
}

TEST(Message, CarriesNoControlCharacter) {
  const std::string message =
      compose_message("a\x1b[2J\tb", "c\x1b]0;x\x07\xE2\x80\xAE", trailers());
  for (const char c : message) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("\xE2\x80\xAE")));
}

TEST(Message, ABodyCannotEndTheMessageOfAMailedPatch) {
  const std::string message =
      compose_message("x", "---\ndiff --git a/x b/x\nFrom 0123 Mon\n-- ok", trailers());
  EXPECT_THAT(message, testing::HasSubstr("\n\n ---\n diff --git a/x b/x\n From 0123 Mon\n"));
}

RC_GTEST_PROP(Message, AnyTextLeavesTheTrailersAlone,
              (const std::string& purpose, const std::string& body)) {
  const std::string message = compose_message(purpose, body, trailers());
  const auto read = parse_trailers(message);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->metrics == trailers().metrics);
  RC_ASSERT(message.find('\n') <= 80U);
}

TEST(Message, RefusesTrailersThatAreNotWhole) {
  const std::string message = compose_message("x", "", trailers());
  EXPECT_TRUE(parse_trailers(message));
  const auto code = [](const std::string& text) { return parse_trailers(text).error().code; };
  EXPECT_EQ(code(message + "Instar-Run: r2\n"), ErrorCode::kIntegrity) << "repeated";
  EXPECT_EQ(code(message + "Signed-off-by: x\n"), ErrorCode::kIntegrity) << "unknown";
  EXPECT_EQ(code(message + "\nlast words\n"), ErrorCode::kIntegrity);
  EXPECT_EQ(code(message.substr(0, message.rfind("Instar-Ledger"))), ErrorCode::kIntegrity);
  EXPECT_EQ(code(""), ErrorCode::kIntegrity);
}

TEST(Message, PlainGitFindsTheTrailers) {
  const TempRepository repo;
  const auto store = repo.store();
  const auto commit = store->commit({.tree = repo.base().tree,
                                     .parents = {repo.base().commit},
                                     .author_name = "Instar r1",
                                     .message = compose_message("x", "a: b\n\nc: d", trailers()),
                                     .time = {}});
  const std::string shown = repo.git(
      "log -1 --format='%(trailers:key=Instar-Verdict,valueonly)%(trailers:key=Instar-Metric)' " +
      commit->hex());
  EXPECT_EQ(shown, "passed\nInstar-Metric: tests.failed=0\nInstar-Metric: cpu_s=0.25\n\n");
}

}  // namespace
}  // namespace instar::checkpoints
