#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "checkpoints/git_store.h"
#include "tests/support/fake_store.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

const std::vector<TreeChange> kFiles{{"a.txt", "a\n"},
                                     {"a/one.txt", "1\n"},
                                     {"a-b/two.txt", "2\r\n"},
                                     {"run.sh", "#!/bin/sh\n", FileMode::kExecutable},
                                     {"link", "a.txt", FileMode::kSymlink},
                                     {"with space/\xC3\xA9.txt", std::string("\0\1", 2)}};

CommitSpec spec_of(const TreeId& tree, std::vector<CommitId> parents) {
  return {.tree = tree,
          .parents = std::move(parents),
          .author_name = "Instar r1",
          .message = "Change a line\n\nInstar-Run: r1\n",
          .time = system_clock::time_point(std::chrono::seconds(1800000000))};
}

std::vector<std::string> paths_of(const std::vector<TreeEntry>& entries) {
  std::vector<std::string> paths;
  for (const auto& entry : entries) paths.push_back(entry.path);
  return paths;
}

TEST(GitStore, ListsEveryFileAsGitDoes) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const auto entries = store->list(repo.base().tree).value();
  std::string listed;
  for (const auto& entry : entries) {
    listed +=
        std::string(to_string(entry.mode)) + " blob " + entry.blob.hex() + "\t" + entry.path + "\n";
  }
  EXPECT_EQ(listed, repo.git("-c core.quotePath=false ls-tree -r HEAD"));
  EXPECT_TRUE(std::ranges::is_sorted(paths_of(entries)));
}

TEST(GitStore, FindsAndReadsRawBytes) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId tree = repo.base().tree;
  EXPECT_EQ(store->read(store->find(tree, "a-b/two.txt").value()->blob), "2\r\n");
  EXPECT_EQ(store->read(store->find(tree, "with space/\xC3\xA9.txt").value()->blob),
            std::string("\0\1", 2));
  EXPECT_EQ(store->find(tree, "link").value()->mode, FileMode::kSymlink);
  EXPECT_FALSE(store->find(tree, "a").value()) << "a directory is no entry";
  EXPECT_FALSE(store->find(tree, "a.txt/b").value());
  EXPECT_FALSE(store->find(tree, "").value());
}

TEST(GitStore, KeepsAVariantInMemoryUntilItIsCommitted) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const std::string before = repo.fingerprint();
  const std::vector<TreeChange> changes{{"a/one.txt", "changed\n"}, {"new/deep/file", "n\n"}};
  const TreeId tree = store->with_changes(repo.base().tree, changes).value();
  EXPECT_EQ(store->read(store->find(tree, "new/deep/file").value()->blob), "n\n");
  EXPECT_EQ(repo.fingerprint(), before) << "nothing reaches the disk";
  EXPECT_EQ(store->objects_in_memory(), 6U) << "two blobs, the root, a/, new/, new/deep/";
  const CommitId commit = store->commit(spec_of(tree, {repo.base().commit})).value();
  EXPECT_EQ(store->objects_in_memory(), 0U);
  EXPECT_EQ(repo.git("show " + commit.hex() + ":a/one.txt"), "changed\n");
  store->forget(tree);
  EXPECT_EQ(store->read(store->find(tree, "new/deep/file").value()->blob), "n\n");
}

TEST(GitStore, MakesTheSameTreesAsGit) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const std::vector<TreeChange> changes{
      {"a.txt", std::nullopt}, {"a", std::nullopt}, {"a/one.txt", std::nullopt}};
  EXPECT_EQ(store->with_changes(repo.base().tree, changes).error().code, ErrorCode::kNotFound);
  const std::vector<TreeChange> swap{{"a/one.txt", std::nullopt},
                                     {"a", "now a file\n"},
                                     {"a.txt", std::nullopt},
                                     {"a.txt/b", "now a directory\n", FileMode::kExecutable}};
  const TreeId tree = store->with_changes(repo.base().tree, swap).value();
  repo.git("rm -q a/one.txt a.txt");
  std::ofstream(repo.path() / "a") << "now a file\n";
  fs::create_directory(repo.path() / "a.txt");
  std::ofstream(repo.path() / "a.txt/b") << "now a directory\n";
  fs::permissions(repo.path() / "a.txt/b", fs::perms(0755));
  repo.git("add a a.txt/b");
  EXPECT_EQ(tree.hex() + "\n", repo.git("write-tree"));
}

TEST(GitStore, RefusesChangesThatDoNotApplyExactly) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const auto code = [&](std::vector<TreeChange> changes) {
    const auto made = store->with_changes(repo.base().tree, changes);
    return made ? std::nullopt : std::optional(made.error().code);
  };
  EXPECT_EQ(code({{"a", "x"}}), ErrorCode::kInvalidInput) << "a directory stands there";
  EXPECT_EQ(code({{"a.txt/b", "x"}}), ErrorCode::kInvalidInput) << "a file stands there";
  EXPECT_EQ(code({{"gone", std::nullopt}}), ErrorCode::kNotFound);
  EXPECT_EQ(code({{"a", std::nullopt}}), ErrorCode::kNotFound)
      << "a directory is not removed whole";
  EXPECT_EQ(code({{"x", "1"}, {"x", "2"}}), ErrorCode::kInvalidInput);
  for (const char* path : {"", "/x", "x//y", "../x", "./x", "x/", ".git/config", "d/.GIT/hooks"}) {
    EXPECT_EQ(code({{path, "x"}}), ErrorCode::kInvalidInput) << path;
  }
  EXPECT_EQ(store->objects_in_memory(), 0U);
  EXPECT_EQ(code({{"x", "1"}, {"d/y", "2"}}), std::nullopt);
}

TEST(GitStore, ForgettingReleasesWhatNobodyElseHolds) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const TreeId one = store->with_changes(base, std::vector<TreeChange>{{"a/x", "x\n"}}).value();
  const std::vector<TreeChange> more{{"b/y", "y\n"}};
  const TreeId two = store->with_changes(one, more).value();
  const TreeId again = store->with_changes(one, more).value();
  EXPECT_EQ(two, again);
  store->forget(one);
  EXPECT_EQ(store->read(store->find(two, "a/x").value()->blob), "x\n") << "shared with `two`";
  store->forget(two);
  EXPECT_EQ(store->list(two).value().size(), kFiles.size() + 2) << "held a second time";
  store->forget(again);
  EXPECT_EQ(store->objects_in_memory(), 0U);
  EXPECT_EQ(store->list(two).error().code, ErrorCode::kNotFound);
  store->forget(base);
  EXPECT_TRUE(store->list(base));
}

TEST(GitStore, CommittingOneVariantLeavesAnotherThatSharesObjects) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const std::vector<TreeChange> shared{{"a/x", "x\n"}};
  const std::vector<TreeChange> more{{"a/x", "x\n"}, {"b/y", "y\n"}};
  const TreeId one = store->with_changes(base, shared).value();
  const TreeId two = store->with_changes(base, more).value();
  ASSERT_TRUE(store->commit(spec_of(one, {repo.base().commit})));
  store->forget(one);
  EXPECT_EQ(store->list(two).value().size(), kFiles.size() + 2);
  store->forget(two);
  EXPECT_EQ(store->objects_in_memory(), 0U);
}

TEST(GitStore, DiffShowsWhatDiffers) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  const std::vector<TreeChange> changes{{"a/one.txt", std::nullopt},
                                        {"a", "file\n"},
                                        {"run.sh", "#!/bin/sh\n", FileMode::kRegular},
                                        {"z/z", "z\n"}};
  const TreeId tree = store->with_changes(base, changes).value();
  const auto deltas = store->diff(base, tree).value();
  std::string shown;
  for (const auto& delta : deltas) {
    shown += delta.path() + (delta.before ? " before" : "") + (delta.after ? " after" : "") + "\n";
  }
  EXPECT_EQ(shown, "a after\na/one.txt before\nrun.sh before after\nz/z after\n");
  EXPECT_TRUE(store->diff(tree, tree).value().empty());
}

RC_GTEST_PROP(GitStore, AgreesWithTheFakeOnAnyChanges, ()) {
  static const TempRepository repo(kFiles);
  const auto store = repo.store();
  FakeStore fake;
  TreeId real_tree = repo.base().tree;
  TreeId fake_tree = fake.add_tree(kFiles);
  const auto name = rc::gen::element<std::string>("a", "a.txt", "a-b", "one.txt", "x", "link");
  for (int step = 0; step < 4; ++step) {
    std::vector<TreeChange> changes;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      std::string path = *name;
      for (int depth = *rc::gen::inRange(0, 3); depth > 0; --depth) path += "/" + *name;
      TreeChange change{.path = path, .content = std::nullopt};
      if (*rc::gen::inRange(0, 3) != 0) change.content = std::to_string(*rc::gen::inRange(0, 3));
      changes.push_back(change);
    }
    const auto real = store->with_changes(real_tree, changes);
    const auto faked = fake.with_changes(fake_tree, changes);
    RC_ASSERT(real.has_value() == faked.has_value());
    if (!real) continue;
    const auto real_diff = store->diff(repo.base().tree, *real).value();
    const auto fake_diff = fake.diff(fake.add_tree(kFiles), *faked).value();
    RC_ASSERT(real_diff.size() == fake_diff.size());
    for (std::size_t i = 0; i < real_diff.size(); ++i) {
      RC_ASSERT(real_diff[i].path() == fake_diff[i].path());
    }
    RC_ASSERT(paths_of(store->list(*real).value()) == paths_of(fake.list(*faked).value()));
    real_tree = *real;
    fake_tree = *faked;
  }
}

TEST(GitStore, TheSameSpecMakesTheSameCommit) {
  const TempRepository repo(kFiles);
  const TreeId base = repo.base().tree;
  const std::vector<TreeChange> changes{{"a/x", "x\n"}};
  const auto commit = [&] {
    const auto store = repo.store();
    return store->commit(spec_of(store->with_changes(base, changes).value(), {repo.base().commit}))
        .value();
  };
  const CommitId first = commit();
  EXPECT_EQ(commit(), first);
  const auto info = repo.store()->commit_info(first).value();
  EXPECT_EQ(info.author_name, "Instar r1");
  EXPECT_EQ(info.message, "Change a line\n\nInstar-Run: r1\n");
  EXPECT_EQ(info.time_s, 1800000000);
  EXPECT_THAT(info.parents, testing::ElementsAre(repo.base().commit));
}

TEST(GitStore, RefusesACommitThatGitCouldNotHold) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const TreeId base = repo.base().tree;
  EXPECT_TRUE(store->commit(spec_of(base, {})));
  auto forged = spec_of(base, {});
  forged.author_name = "x> 0 +0000\ncommitter y";
  EXPECT_EQ(store->commit(forged).error().code, ErrorCode::kInvalidInput);
  auto cut = spec_of(base, {});
  cut.message = std::string("a\0b", 3);
  EXPECT_EQ(store->commit(cut).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(store->commit(spec_of(TreeId{}, {})).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store->commit(spec_of(base, {CommitId{}})).error().code, ErrorCode::kNotFound);
}

TEST(GitStore, PlainGitReadsWhatItWrites) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const CommitId base = repo.base().commit;
  const auto child = [&](const TreeId& from, const char* path, std::vector<CommitId> parents) {
    const std::vector<TreeChange> changes{{path, "x\n"}};
    const TreeId tree = store->with_changes(from, changes).value();
    return store->commit_info(store->commit(spec_of(tree, std::move(parents))).value()).value();
  };
  const auto one = child(repo.base().tree, "a/x", {base});
  const auto two = child(repo.base().tree, "b/y", {base});
  const auto crossed = child(one.tree, "b/y", {one.id, two.id});
  ASSERT_TRUE(store->move_ref("refs/instar/r1/champion", crossed.id.hex(), std::nullopt));
  EXPECT_EQ(repo.git("fsck --strict --no-dangling"), "");
  EXPECT_EQ(repo.git("log --graph --format=%an refs/instar/r1/champion").substr(0, 12),
            "*   Instar r");
  EXPECT_EQ(repo.git("rev-list --count refs/instar/r1/champion"), "4\n");
}

TEST(GitStore, AFullDiskLeavesTheRepositoryAsItWas) {
  const TempRepository repo(kFiles);
  const auto store = repo.store();
  const std::vector<TreeChange> changes{{"a/x", "x\n"}};
  const TreeId tree = store->with_changes(repo.base().tree, changes).value();
  const std::string blob = store->write_blob("1")->hex();
  /// What is stored, without the directories that may have been made for it.
  const auto stored = [&] {
    return repo.git("count-objects -v") + repo.git("for-each-ref") + repo.git("fsck --no-dangling");
  };
  const std::string before = stored();
  {
    const FileSizeLimit limit(0);
    const auto committed = store->commit(spec_of(tree, {repo.base().commit}));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, ErrorCode::kIo);
    EXPECT_FALSE(committed.error().hint.empty());
    EXPECT_EQ(store->move_ref("refs/instar/r1/x", blob, std::nullopt).error().code, ErrorCode::kIo);
  }
  EXPECT_EQ(stored(), before);
  EXPECT_TRUE(store->commit(spec_of(tree, {repo.base().commit}))) << "space was freed";
  EXPECT_TRUE(store->move_ref("refs/instar/r1/x", blob, std::nullopt));
}

TEST(GitStore, LeavesEverythingOfTheUserAsItWas) {
  const TempRepository repo(kFiles);
  repo.git("config core.logAllRefUpdates always");
  repo.git("config core.autocrlf true");
  repo.git("tag t1");
  repo.git("branch other");
  std::ofstream(repo.path() / "a.txt") << "stashed\n";
  repo.git("stash");
  std::ofstream(repo.path() / "a.txt") << "dirty\n";
  std::ofstream(repo.path() / "untracked") << "u\n";
  fs::create_directories(repo.git_dir() / "hooks");
  for (const char* hook : {"post-commit", "reference-transaction", "update", "pre-commit"}) {
    const fs::path file = repo.git_dir() / "hooks" / hook;
    std::ofstream(file) << "#!/bin/sh\ntouch '" << (repo.path() / "hook-ran").string() << "'\n";
    fs::permissions(file, fs::perms(0755));
  }
  const std::vector<std::string> ours{".git/objects", ".git/refs/instar"};
  const std::string before = repo.fingerprint(ours);
  {
    const auto store = repo.store();
    const auto repository = repo.repository();
    EXPECT_TRUE(repository.uncommitted()->tracked);
    EXPECT_TRUE(repository.uncommitted()->untracked);
    const std::vector<TreeChange> changes{{"a-b/two.txt", "3\r\n"}};
    const TreeId tree = store->with_changes(repo.base().tree, changes).value();
    const CommitId commit = store->commit(spec_of(tree, {repo.base().commit})).value();
    ASSERT_TRUE(store->move_ref("refs/instar/r1/champion", commit.hex(), std::nullopt));
    EXPECT_EQ(repo.git("cat-file blob " + commit.hex() + ":a-b/two.txt"), "3\r\n")
        << "no end-of-line conversion";
  }
  EXPECT_EQ(repo.fingerprint(ours), before);
  // The control: a fingerprint that could not see such a change would prove nothing.
  repo.git("update-ref refs/instar/r1/other HEAD");
  EXPECT_NE(repo.fingerprint(ours), before);
}

}  // namespace
}  // namespace instar::checkpoints
