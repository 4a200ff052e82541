#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/random.h"
#include "checkpoints/patch.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

const std::vector<TreeChange> kFiles{{"a.txt", "one\ntwo\nthree\n"},
                                     {"crlf.txt", "one\r\ntwo\r\n"},
                                     {"no newline", "x"},
                                     {"run.sh", "#!/bin/sh\n"},
                                     {"dir/\xC3\xA9 b.txt", "b\n"},
                                     {"bin", std::string("\0\1", 2)}};

/// What plain git says of the same two trees.
std::string by_git(const TempRepository& repo, const TreeId& before, const TreeId& after) {
  return repo.git("-c core.quotePath=false diff --no-ext-diff --no-renames --full-index " +
                  before.hex() + " " + after.hex());
}

/// Writes the tree's objects to disk, so that git can see them.
void write_out(CheckpointStore& store, const TreeId& tree) {
  ASSERT_TRUE(store.commit(
      {.tree = tree, .parents = {}, .author_name = "x", .message = "x\n", .time = {}}));
}

TEST(Patch, IsWhatGitWouldShow) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const std::vector<TreeChange> changes{{"a.txt", "one\n2\nthree\nfour\n"},
                                        {"crlf.txt", "one\r\nzwei\r\n"},
                                        {"no newline", "y"},
                                        {"run.sh", "#!/bin/sh\n", FileMode::kExecutable},
                                        {"dir/\xC3\xA9 b.txt", std::nullopt},
                                        {"new/file with space", "n\n"},
                                        {"q\"uote", "q\n"},
                                        {"empty", ""}};
  const TreeId base = repo.base().tree;
  const TreeId tree = store->with_changes(base, changes).value();
  const std::string patch = make_patch(*store, base, tree).value();
  write_out(*store, tree);
  EXPECT_EQ(patch, by_git(repo, base, tree));
}

TEST(Patch, NamesABinaryFileWithoutItsContent) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const std::vector<TreeChange> changes{{"bin", std::string("\0\2", 2)}};
  const TreeId tree = store->with_changes(base, changes).value();
  const std::string patch = make_patch(*store, base, tree).value();
  EXPECT_THAT(patch, testing::EndsWith("Binary files a/bin and b/bin differ\n"));
}

TEST(Patch, NoSettingOrAttributeOfTheRepositoryChangesIt) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const std::vector<TreeChange> changes{{"a.txt", "one\n2\nthree\n"}};
  const TreeId tree = store->with_changes(base, changes).value();
  const std::string before = make_patch(*store, base, tree).value();
  EXPECT_THAT(before, testing::HasSubstr("\n-two\n+2\n"));
  repo.git("config diff.noprefix true");
  repo.git("config diff.context 0");
  std::ofstream(repo.path() / ".gitattributes") << "*.txt binary\n";
  std::ofstream(repo.git_dir() / "info/attributes") << "*.txt -diff\n";
  write_out(*store, tree);
  EXPECT_EQ(make_patch(*repo.store(), base, tree).value(), before);
  EXPECT_NE(by_git(repo, base, tree), before) << "the settings do change what git shows";
}

TEST(Patch, IsWhatGitWouldShowOfManyFilesWithAnyLines) {
  RandomStream random(1, "patch", 0);
  const auto text = [&random] {
    std::string lines;
    for (auto count = random.below(12); count > 0; --count) {
      lines += std::string(1, static_cast<char>('a' + random.below(3))) + "\n";
    }
    if (random.below(3) == 0 && !lines.empty()) lines.pop_back();
    return lines;
  };
  std::vector<TreeChange> before;
  std::vector<TreeChange> after;
  for (int i = 0; i < 60; ++i) {
    before.push_back({"f" + std::to_string(i), text()});
    after.push_back({"f" + std::to_string(i), text()});
  }
  const TempRepository repo(before);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const TreeId tree = store->with_changes(base, after).value();
  const std::string patch = make_patch(*store, base, tree).value();
  write_out(*store, tree);
  EXPECT_EQ(patch, by_git(repo, base, tree));
}

}  // namespace
}  // namespace instar::checkpoints
