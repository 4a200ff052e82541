#include <gtest/gtest.h>

#include "tests/support/fake_store.h"

namespace instar::checkpoints {
namespace {

TEST(FakeStore, ForgetsATreeOnlyWhenEveryHolderHas) {
  FakeStore store;
  const TreeId base = store.add_tree({{"src/a.py", "a\n"}, {"b.py", "b\n"}});
  const std::vector<TreeChange> change{{"b.py", "c\n"}};
  const auto first = store.with_changes(base, change);
  const auto second = store.with_changes(base, change);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  store.forget(*first);
  EXPECT_EQ(store.list(*second)->size(), 2U);
  store.forget(*second);
  EXPECT_EQ(store.trees_in_memory(), 0U);
  EXPECT_EQ(store.list(*second).error().code, ErrorCode::kNotFound);
  store.forget(base);
  EXPECT_TRUE(store.list(base));
}

TEST(FakeStore, RefusesAFileThatIsAlsoADirectory) {
  FakeStore store;
  const TreeId base = store.add_tree({{"a", "a\n"}});
  const std::vector<TreeChange> below{{"a/b", "c\n"}};
  EXPECT_EQ(store.with_changes(base, below).error().code, ErrorCode::kInvalidInput);
  const std::vector<TreeChange> replaced{{"a/b", "c\n"}, {"a", std::nullopt}};
  EXPECT_TRUE(store.with_changes(base, replaced));
}

TEST(FakeStore, MovesRefsByCompareAndSwap) {
  FakeStore store;
  const std::string one = store.write_blob("1")->hex();
  const std::string two = store.write_blob("2")->hex();
  const std::string name = "refs/instar/r/anchor";
  EXPECT_TRUE(store.move_ref(name, one, std::nullopt));
  EXPECT_TRUE(store.move_ref(name, one, std::nullopt)) << "a replay repeats it";
  EXPECT_EQ(store.move_ref(name, two, std::nullopt).error().code, ErrorCode::kIntegrity);
  EXPECT_TRUE(store.move_ref(name, two, one));
  EXPECT_EQ(store.refs("refs/instar/r/")->at(0).target_hex, two);
}

}  // namespace
}  // namespace instar::checkpoints
