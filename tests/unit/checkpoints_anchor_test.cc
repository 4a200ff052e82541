#include <gtest/gtest.h>

#include "checkpoints/anchor.h"
#include "checkpoints/ledger_position.h"
#include "checkpoints/ref_names.h"
#include "tests/support/fake_store.h"

namespace instar::checkpoints {
namespace {

TEST(Anchor, ComesBackAsItWasWritten) {
  FakeStore store;
  EXPECT_FALSE(read_anchor(store, "r1").value());
  const LedgerPosition first{.seq = 3, .hash = sha256("a")};
  ASSERT_TRUE(write_anchor(store, "r1", first));
  const LedgerPosition second{.seq = 12, .hash = sha256("b")};
  ASSERT_TRUE(write_anchor(store, "r1", second));
  ASSERT_TRUE(write_anchor(store, "r1", second));
  const auto read = read_anchor(store, "r1").value();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->seq, 12U);
  EXPECT_EQ(read->hash, second.hash);
  EXPECT_FALSE(read_anchor(store, "r").value());
}

TEST(Anchor, AMalformedOneIsAnIntegrityFault) {
  FakeStore store;
  for (const std::string& text :
       {std::string("3 abc\n"), std::string(), "03 " + Digest{}.hex() + "\n", "3 " + Digest{}.hex(),
        "3 " + Digest{}.hex() + "\n\n"}) {
    const auto current = store.refs(anchor_ref("r1")).value();
    const auto expected =
        current.empty() ? std::nullopt : std::optional(current.front().target_hex);
    ASSERT_TRUE(store.move_ref(anchor_ref("r1"), store.write_blob(text)->hex(), expected));
    EXPECT_EQ(read_anchor(store, "r1").error().code, ErrorCode::kIntegrity) << text;
  }
}

TEST(LedgerPosition, ReadsOnlyWhatItWrites) {
  const LedgerPosition position{.seq = 7, .hash = sha256("x")};
  const std::string text = format_position(position);
  EXPECT_EQ(parse_position(text)->seq, 7U);
  EXPECT_EQ(parse_position(text)->hash, position.hash);
  for (const std::string& bad : {text + "0", "+" + text, " " + text, text.substr(1),
                                 "7;" + position.hash.hex(), std::string()}) {
    EXPECT_FALSE(parse_position(bad)) << bad;
  }
}

}  // namespace
}  // namespace instar::checkpoints
