#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "engine/evaluation/sealed_files.h"
#include "isolation/beneath.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A tree with a sealed file, a sealed symlink and a file that is not sealed.
class SealedTree : public testing::Test {
 protected:
  SealedTree() {
    fs::create_directories(root() / "tests");
    write("tests/a", "a");
    write("tests/b", "b");
    write("free", "x");
    fs::create_symlink("a", root() / "tests/data");
    sealed = SealedFiles::make(patterns, root()).value();
  }
  [[nodiscard]] fs::path root() const { return directory.path(); }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomic(root() / name, text));
  }
  [[nodiscard]] std::string changed() const { return sealed.check(held.get(), {}).value().changed; }

  TempDir directory = TempDir::create("sealed").value();
  Fd held = isolation::hold_tree(directory.path()).value();
  std::vector<Sourced> patterns{{.value = "tests/**", .source = "instar.yaml:4"}};
  SealedFiles sealed;
};

TEST_F(SealedTree, IsWholeWhileNothingSealedChanges) {
  write("free", "y");
  const auto check = sealed.check(held.get(), {}).value();
  EXPECT_EQ(check.changed + check.appeared, "");
}

TEST_F(SealedTree, ASymlinkThatLeadsElsewhereIsAChange) {
  fs::remove(root() / "tests/data");
  fs::create_symlink("b", root() / "tests/data");
  EXPECT_THAT(changed(), HasSubstr("tests/data was changed"));
}

TEST_F(SealedTree, AnythingInPlaceOfASymlinkIsAChange) {
  const fs::path link = root() / "tests/data";
  fs::remove(link);
  ASSERT_EQ(::mkfifo(link.c_str(), 0600), 0);
  EXPECT_THAT(changed(), HasSubstr("tests/data was changed"));
  fs::remove(link);
  fs::create_hard_link(root() / "free", link);
  EXPECT_THAT(changed(), HasSubstr("tests/data was changed"));
  fs::remove(link);
  EXPECT_THAT(changed(), HasSubstr("tests/data was removed"));
  fs::create_symlink("a", link);
  EXPECT_EQ(changed(), "");
}

TEST_F(SealedTree, AChangedModeIsAChange) {
  ::chmod((root() / "tests/a").c_str(), 0755);
  EXPECT_THAT(changed(), HasSubstr("tests/a was changed"));
}

TEST_F(SealedTree, AFileThatCannotBeSealedIsRefused) {
  ASSERT_EQ(::mkfifo((root() / "tests/pipe").c_str(), 0600), 0);
  const auto refused = SealedFiles::make(patterns, root());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message, HasSubstr("tests/pipe"));
}

TEST_F(SealedTree, APatternBehindASymlinkIsRefusedByItsPlace) {
  fs::create_directory_symlink("tests", root() / "checks");
  const auto refused =
      SealedFiles::make({{.value = "checks/**", .source = "instar.yaml:9"}}, root());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("instar.yaml:9"));
  EXPECT_TRUE(SealedFiles::make({{.value = "absent/**", .source = "instar.yaml:9"}}, root()));
}

TEST_F(SealedTree, ASymlinkToWhatIsNotSealedIsRefusedWithWhatToSeal) {
  fs::create_directories(root() / "src/data");
  write("src/data/c", "c");
  struct Link {
    std::string target;
    std::string leads_to;
    std::string seal;
  };
  fs::create_directory_symlink("src", root() / "alias");
  for (const Link& link :
       {Link{"../free", "free", "free"}, Link{"../src/data", "src/data/c", "**"},
        Link{"../alias/data/c", "alias", "alias"},
        Link{"../src/absent", "src/absent", "src/absent"}, Link{"..", "", "**"}}) {
    fs::create_symlink(link.target, root() / "tests/link");
    const auto refused = SealedFiles::make(patterns, root());
    fs::remove(root() / "tests/link");
    ASSERT_FALSE(refused) << link.target;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(refused.error().message, HasSubstr("tests/link leads to " + link.leads_to));
    EXPECT_THAT(refused.error().hint, HasSubstr(link.seal + "` too"));
  }
  for (const char* outside : {"/etc/passwd", "../../etc"}) {
    fs::create_symlink(outside, root() / "tests/link");
    const auto refused = SealedFiles::make(patterns, root());
    fs::remove(root() / "tests/link");
    ASSERT_FALSE(refused) << outside;
    EXPECT_THAT(refused.error().message, HasSubstr("out of the tree"));
  }
}

TEST_F(SealedTree, ASymlinkToWhatIsSealedTooIsSealed) {
  fs::create_directories(root() / "src/data");
  write("src/data/c", "c");
  fs::create_directory_symlink("src", root() / "alias");
  for (const char* target : {"../free", "../src/data", "../alias/data/c", "../src/data/absent", "a",
                             "./../tests", "link"}) {
    fs::create_symlink(target, root() / "tests/link");
    const auto made = SealedFiles::make({{.value = "tests/**", .source = "instar.yaml:4"},
                                         {.value = "free", .source = "instar.yaml:5"},
                                         {.value = "alias", .source = "instar.yaml:6"},
                                         {.value = "src/**", .source = "instar.yaml:7"}},
                                        root());
    fs::remove(root() / "tests/link");
    EXPECT_TRUE(made) << target << ": " << (made ? "" : made.error().message);
  }
}

TEST_F(SealedTree, ADirectoryReplacedByASymlinkLosesItsFiles) {
  fs::rename(root() / "tests", root() / "moved");
  fs::create_directory_symlink("moved", root() / "tests");
  EXPECT_THAT(changed(), HasSubstr("was removed"));
}

TEST_F(SealedTree, OurOwnFailureIsAnErrorAndNoVerdict) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int used = ::dup(0);
  ::close(used);
  // Room to walk the tree, and to hold it where it is not held yet; none for the files in it.
  const auto leave = [&](rlim_t room) {
    const rlimit few{.rlim_cur = static_cast<rlim_t>(used) + room, .rlim_max = limit.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  };
  leave(2);
  const auto made = SealedFiles::make(patterns, root());
  leave(1);
  const auto check = sealed.check(held.get(), {});
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kIo);
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().code, ErrorCode::kIo);
  EXPECT_EQ(changed(), "");
}

}  // namespace
}  // namespace instar::engine
