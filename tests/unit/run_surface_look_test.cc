#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/run/surface_look.h"
#include "tests/support/temp_repository.h"

namespace instar::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(SurfaceLook, KnowsTestsByTheirNames) {
  for (const char* path :
       {"tests/a.c", "src/test/run.sh", "spec/a_spec.rb", "test_a.py", "src/a_test.c",
        "conftest.py", "src/ATest.java", "a.test.js", "tests.c", "lib/__tests__/a.js"}) {
    EXPECT_TRUE(looks_like_test(path)) << path;
  }
  for (const char* path : {"src/a.c", "src/latest.c", "contest.py", "attest/a.py", "testimony.c",
                           "src/inspector.py", "protest.py"}) {
    EXPECT_FALSE(looks_like_test(path)) << path;
  }
}

TEST(SurfaceLook, TestsThatAVariantMayChangeAreNamedWithTheSealToWrite) {
  const Target target;
  EXPECT_THAT(surface_warnings(target, {"src/a.py"}), IsEmpty());
  EXPECT_THAT(surface_warnings(target, {"src/a.py", "src/test_a.py", "tests/b.py", "tests/c.py"}),
              ElementsAre(AllOf(HasSubstr("src/test_a.py, tests/b.py, tests/c.py"),
                                HasSubstr("sealed: [\"src/test_a.py\", \"tests/**\"]"))));
  EXPECT_THAT(surface_warnings(target, {"t/a_test.c", "t/b_test.c", "t/c_test.c", "t/d_test.c"}),
              ElementsAre(AllOf(HasSubstr("t/c_test.c and 1 more"), HasSubstr(", …]"))));
}

TEST(SurfaceLook, ASurfaceThatTheGeneratorCannotReadIsTold) {
  const Target target;
  EXPECT_THAT(surface_warnings(target, {"a.txt", "b.cfg"}),
              ElementsAre(AllOf(HasSubstr("a.txt, b.cfg"), HasSubstr(".py"), HasSubstr(".c"))));
  EXPECT_THAT(surface_warnings(target, {"a.txt", "b.c"}), IsEmpty());
}

TEST(SurfaceLook, SealsThatMissTheBaseFindTheFilesThatWereNotCommitted) {
  const checkpoints::Files files{{".gitignore", "tests/\n"}, {"src/a.py", ""}, {"kept/x", ""}};
  const checkpoints::TempRepository repo(files);
  for (const char* path :
       {"tests/test_a.py", "tests/__pycache__/test_a.pyc", "kept/y", "other/z"}) {
    std::filesystem::create_directories((repo.path() / path).parent_path());
    std::ofstream(repo.path() / path) << "x\n";
  }
  const std::vector<checkpoints::TreeEntry> base{{.path = "src/a.py", .blob = {}},
                                                 {.path = "kept/x", .blob = {}}};
  const std::vector<Sourced> sealed{{.value = "tests/**", .source = "instar.yaml:3"},
                                    {.value = "kept/**", .source = "instar.yaml:4"}};
  EXPECT_THAT(not_committed(sealed, repo.repository(), base).value(),
              UnorderedElementsAre("tests/test_a.py", "kept/y"));
  EXPECT_THAT(missed_by_seals(sealed, repo.repository(), base).value(),
              ElementsAre("tests/test_a.py"))
      << "a new file beside committed ones is an ordinary thing";
}

}  // namespace
}  // namespace instar::engine
