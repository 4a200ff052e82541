#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "checkpoints/repository.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;

/// The refusal of a directory, with a message and a way out, and nothing changed by the attempt.
Error refusal(const fs::path& directory) {
  const auto opened = Repository::open(directory);
  EXPECT_FALSE(opened) << directory;
  if (opened) return {};
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(opened.error().hint.empty());
  return opened.error();
}

TEST(Repository, SaysWhatIsCheckedOut) {
  const TempRepository repo(Files{{"a.txt", "a\n"}, {"dir/b.txt", "b\n"}});
  fs::create_directories(repo.path() / "dir/deeper");
  const auto repository = Repository::open(repo.path() / "dir/deeper").value();
  EXPECT_EQ(repository.work_tree(), repo.path());
  EXPECT_EQ(repository.common_dir(), repo.git_dir());
  EXPECT_EQ(repository.branch(), "main");
  const Snapshot head = repository.head().value();
  EXPECT_EQ(head.commit.hex() + "\n" + head.tree.hex() + "\n",
            repo.git("rev-parse HEAD") + repo.git("rev-parse HEAD^{tree}"));
}

TEST(Repository, ResolvesWhatNamesACommit) {
  const TempRepository repo;
  const CommitId first = repo.base().commit;
  repo.git("commit -q --allow-empty -m second");
  repo.git("tag -a -m note t1 HEAD~1");
  const auto repository = repo.repository();
  for (const std::string& name : {std::string("HEAD~1"), std::string("t1"), std::string("main^"),
                                  first.hex(), first.hex().substr(0, 12)}) {
    ASSERT_TRUE(repository.resolve(name)) << name;
    EXPECT_EQ(repository.resolve(name)->commit, first) << name;
  }
  for (const char* name : {"nothing", "HEAD^{tree}", "HEAD:README", "", "HEAD~9", "--all"}) {
    EXPECT_EQ(repository.resolve(name).error().code, ErrorCode::kInvalidInput) << name;
  }
}

TEST(Repository, ADetachedHeadHasNoBranch) {
  const TempRepository repo;
  const CommitId head = repo.base().commit;
  repo.git("checkout -q --detach");
  EXPECT_FALSE(repo.repository().branch());
  EXPECT_EQ(repo.repository().head()->commit, head);
}

TEST(Repository, TellsWhatIsNotCommitted) {
  const TempRepository repo(Files{{"a.txt", "a\n"}, {".gitignore", "*.o\n"}});
  std::ofstream(repo.path() / "x.o") << "ignored";
  const std::string before = repo.fingerprint();
  EXPECT_FALSE(repo.repository().uncommitted()->any());
  EXPECT_EQ(repo.fingerprint(), before);
  std::ofstream(repo.path() / "new.txt") << "new\n";
  EXPECT_TRUE(repo.repository().uncommitted()->untracked);
  EXPECT_FALSE(repo.repository().uncommitted()->tracked);
  std::ofstream(repo.path() / "a.txt") << "changed\n";
  EXPECT_TRUE(repo.repository().uncommitted()->tracked);
  repo.git("add a.txt");
  EXPECT_TRUE(repo.repository().uncommitted()->tracked) << "staged";
}

TEST(Repository, DoesNotCountTheFileThatIsExceptedAsUncommitted) {
  const TempRepository repo(Files{{"a.txt", "a\n"}});
  std::ofstream(repo.path() / "new.txt") << "new\n";
  EXPECT_FALSE(repo.repository().uncommitted("new.txt")->any());
  EXPECT_TRUE(repo.repository().uncommitted("a.txt")->untracked);
  std::ofstream(repo.path() / "a.txt") << "changed\n";
  EXPECT_TRUE(repo.repository().uncommitted("new.txt")->tracked);
  EXPECT_FALSE(repo.repository().uncommitted("a.txt")->tracked);
}

TEST(Repository, NamesEveryFileThatHeadLacks) {
  const TempRepository repo(Files{{"a.txt", "a\n"}, {".gitignore", "out/\n"}});
  for (const char* name : {"out/deep", "new/deep"}) {
    std::filesystem::create_directories(repo.path() / name);
    std::ofstream(repo.path() / name / "x") << "x\n";
  }
  std::ofstream(repo.path() / "added") << "x\n";
  repo.git("add added");
  std::ofstream(repo.path() / "a.txt") << "changed\n";
  EXPECT_THAT(repo.repository().not_in_head().value(),
              testing::UnorderedElementsAre("out/deep/x", "new/deep/x", "added"));
}

TEST(Repository, RefusesADirectoryWithoutOne) {
  const TempDir directory = TempDir::create("instar-test").value();
  EXPECT_THAT(refusal(directory.path()).message, testing::HasSubstr("not in a git repository"));
  EXPECT_THAT(refusal(directory.path() / "missing").message, testing::HasSubstr("not a directory"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Repository, RefusesABareOne) {
  const TempRepository repo;
  repo.git("clone -q --bare . ../bare");
  EXPECT_THAT(refusal(repo.path().parent_path() / "bare").message, testing::HasSubstr("bare"));
}

TEST(Repository, RefusesSha256) {
  const TempRepository repo;
  repo.git("init -q --object-format=sha256 ../long");
  EXPECT_THAT(refusal(repo.path().parent_path() / "long").message, testing::HasSubstr("sha256"));
}

TEST(Repository, RefusesAnUnknownExtension) {
  const TempRepository repo;
  const std::string before = read_file(repo.git_dir() / "config", 10000).value();
  repo.git("config core.repositoryFormatVersion 1");
  repo.git("config extensions.somethingNew true");
  EXPECT_THAT(refusal(repo.path()).message, testing::HasSubstr("somethingnew"));
  std::ofstream(repo.git_dir() / "config", std::ios::binary) << before;
  EXPECT_TRUE(Repository::open(repo.path()));
}

TEST(Repository, RefusesAnUnbornBranch) {
  const TempRepository repo(Files{});
  const auto head = repo.repository().head();
  EXPECT_EQ(head.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(head.error().message, testing::HasSubstr("no commit yet"));
}

TEST(Repository, RefusesAForeignOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another user";
  const TempRepository repo;
  ASSERT_EQ(::chown(repo.path().c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chown(repo.git_dir().c_str(), 65534, 65534), 0);
  const Error error = refusal(repo.path());
  EXPECT_THAT(error.message, testing::HasSubstr("another user"));
  EXPECT_THAT(error.hint, testing::HasSubstr("chown"));
  ASSERT_EQ(::chown(repo.path().c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(repo.git_dir().c_str(), 0, 0), 0);
  EXPECT_TRUE(Repository::open(repo.path()));
}

TEST(Repository, ALinkedWorkTreeSharesItsState) {
  const TempRepository repo;
  repo.git("worktree add -q -b side '../side tree'");
  const auto side = Repository::open(repo.path().parent_path() / "side tree").value();
  EXPECT_EQ(side.common_dir(), repo.git_dir());
  EXPECT_EQ(side.branch(), "side");
  const auto store = GitStore::open(side).value();
  const std::string blob = store->write_blob("1")->hex();
  ASSERT_TRUE(store->move_ref("refs/instar/r1/champion", blob, std::nullopt));
  EXPECT_EQ(repo.git("rev-parse refs/instar/r1/champion"), blob + "\n") << "seen from the main one";
}

TEST(Repository, AWorkTreeThatItsRepositoryDoesNotKnowIsRefused) {
  const TempRepository mine;
  const TempRepository sent;
  std::ofstream(sent.git_dir() / "commondir") << mine.git_dir().string() << "\n";
  const auto opened = Repository::open(sent.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("does not know it"));
  mine.git("worktree add -q -b side ../side");
  EXPECT_TRUE(Repository::open(mine.path().parent_path() / "side")) << "the control";
}

TEST(Repository, AShallowCloneWorks) {
  const TempRepository repo(Files{{"a.txt", "a\n"}});
  repo.git("commit -q --allow-empty -m second");
  repo.git("clone -q --depth 1 file://\"$PWD\" ../shallow");
  const auto clone = Repository::open(repo.path().parent_path() / "shallow").value();
  const Snapshot head = clone.head().value();
  const auto store = GitStore::open(clone).value();
  const std::vector<TreeChange> changes{{"a.txt", "b\n"}};
  const TreeId tree = store->with_changes(head.tree, changes).value();
  EXPECT_TRUE(store->commit({.tree = tree,
                             .parents = {head.commit},
                             .author_name = "Instar r1",
                             .message = "x\n",
                             .time = {}}));
}

TEST(Repository, APartialCloneIsTakenOnlyWhenNothingOfTheBaseIsMissing) {
  const TempRepository repo(Files{{"a.txt", "a\n"}});
  repo.git("config uploadpack.allowFilter true");
  repo.git("clone -q --no-checkout --filter=blob:none file://\"$PWD\" ../partial");
  const fs::path path = repo.path().parent_path() / "partial";
  const auto clone = Repository::open(path).value();
  EXPECT_TRUE(clone.partial());
  const auto head = clone.head();
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(head.error().message, testing::HasSubstr("'a.txt'"));
  repo.git("-C ../partial checkout -q main");
  EXPECT_TRUE(Repository::open(path)->head());
}

TEST(Repository, ASubmoduleIsListedAsAGitlink) {
  const TempRepository inner(Files{{"x", "x\n"}}, "inner");
  const TempRepository repo(Files{{"a.txt", "a\n"}});
  repo.git("submodule add -q '" + inner.path().string() + "' sub");
  repo.git("commit -q -m submodule");
  const auto entry = repo.store()->find(repo.base().tree, "sub").value().value();
  EXPECT_EQ(entry.mode, FileMode::kGitlink);
  EXPECT_EQ(entry.blob.hex(), inner.base().commit.hex());
}

TEST(Repository, APathWithSpacesAndUtf8Works) {
  const TempRepository repo(Files{{"f", "x\n"}}, "a b \xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(repo.repository().work_tree(), repo.path());
  EXPECT_TRUE(repo.store()->list(repo.base().tree));
}

TEST(Repository, TheUsersOwnConfigurationIsOutOfSight) {
  const TempRepository repo(Files{{"a.txt", "a\n"}});
  const TempDir home = TempDir::create("instar-test").value();
  // Read, this would be refused: an include of a malformed file.
  std::ofstream(home.path() / ".gitconfig") << "[broken\n";
  const char* before = std::getenv("HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("HOME", home.path().c_str(), 1);
  const auto opened = Repository::open(repo.path());
  const bool clean = opened && opened->uncommitted();
  ::setenv("HOME", kept.c_str(), 1);
  EXPECT_TRUE(clean);
}

}  // namespace
}  // namespace instar::checkpoints
