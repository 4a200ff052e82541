#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "engine/config/target.h"
#include "engine/init/draft.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A sample tree, removed at the end of its life.
class Tree {
 public:
  explicit Tree(const std::map<std::string, std::string>& files)
      : directory_(TempDir::create("instar-init").value()) {
    for (const auto& [path, text] : files) {
      fs::create_directories((root() / path).parent_path());
      EXPECT_TRUE(write_file_atomic(root() / path, text));
    }
  }
  [[nodiscard]] fs::path root() const { return directory_.path(); }

 private:
  TempDir directory_;
};

Result<Draft> draft(const Tree& tree, Pytest pytest = Pytest::kInstalled) {
  auto project = list_project(tree.root());
  if (!project) return fail(project.error());
  return draft_target(*project, pytest);
}

/// What is written must be what the loader takes.
Target loaded(const Draft& draft) {
  Policy policy = parse_policy("version: 1\n", "safety.yaml").value();
  const std::string text = render_target(draft);
  auto target = parse_target(text, "instar.yaml", policy);
  EXPECT_TRUE(target) << target.error().message << "\n" << text;
  return target ? *target : Target{};
}

std::vector<std::string> values(const std::vector<Sourced>& rules) {
  std::vector<std::string> out;
  for (const Sourced& rule : rules) out.push_back(rule.value);
  return out;
}

TEST(InitDraft, PytestProjectGetsTheStreamAndATightSurface) {
  const Tree tree({{"src/roman.py", "def f(): pass\n"},
                   {"src/conftest.py", ""},
                   {"src/util/text.py", ""},
                   {"tests/test_roman.py", "import pytest\n"},
                   {"tests/helper.py", ""},
                   {"pytest.ini", "[pytest]\npythonpath = src\n"},
                   {"setup.py", "setup()\n"},
                   {"docs/conf.py", ""}});
  const auto made = draft(tree);
  ASSERT_TRUE(made) << made.error().message;
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("src/roman.py", "src/util/*.py"))
      << "a pattern beside conftest.py would let it be replaced";
  EXPECT_THAT(values(target.deny), Contains("**/conftest.py"));
  EXPECT_THAT(values(target.deny), Contains("**/sitecustomize.py"));
  EXPECT_THAT(values(target.sealed),
              ElementsAre("src/conftest.py", "tests/**", "pytest.ini", "setup.py"));
  ASSERT_EQ(target.evaluate.size(), 1U);
  EXPECT_EQ(target.evaluate[0].name, "test");
  EXPECT_EQ(target.evaluate[0].command, "python3 -m pytest -q tests");
  EXPECT_EQ(target.evaluate[0].report, ReportKind::kPytest);
  EXPECT_FALSE(target.evaluate[0].per_test) << "the base's own tests say what is long";
  EXPECT_THAT(render_target(*made), HasSubstr("# per_test: "));
  EXPECT_TRUE(made->has_tests);
  EXPECT_EQ(target.objectives[0].metric, "tests.failed");
  EXPECT_THAT(target.env, IsEmpty()) << "pytest.ini says where the sources are";
}

TEST(InitDraft, FlatPythonProjectIsListedByName) {
  const Tree tree({{"roman.py", ""}, {"test_roman.py", "import unittest\n"}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("roman.py"));
  EXPECT_THAT(values(target.sealed), ElementsAre("test_roman.py"));
  EXPECT_EQ(target.evaluate[0].command, "python3 -m pytest -q");
}

TEST(InitDraft, UnittestWithoutPytestFallsBackToTheExitCodeAndSaysSo) {
  const Tree tree(
      {{"pkg/__init__.py", ""}, {"pkg/a.py", ""}, {"tests/test_a.py", "import unittest\n"}});
  const auto made = draft(tree, Pytest::kMissing);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_EQ(target.evaluate[0].command, "python3 -m unittest discover -s tests -t .");
  EXPECT_EQ(target.evaluate[0].report, ReportKind::kExitCode);
  EXPECT_EQ(target.objectives[0].metric, "stages.failed");
  EXPECT_THAT(made->missing, Contains(HasSubstr("pytest is not installed")));
}

TEST(InitDraft, BenchmarksAreSealedAndNoTests) {
  const Tree tree({{"parse.py", ""},
                   {"bench.py", ""},
                   {"tests/test_parse.py", ""},
                   {"c/parse.c", ""},
                   {"c/bench_parse.c", ""},
                   {"c/workbench.c", ""},
                   {"Makefile", "test:\n\t./t\n"}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("c/parse.c", "c/workbench.c", "parse.py"));
  EXPECT_THAT(values(target.sealed),
              ElementsAre("c/bench_parse.c", "Makefile", "tests/**", "bench.py"));

  const Tree only({{"parse.py", ""}, {"bench.py", ""}});
  const auto untested = draft(only);
  ASSERT_TRUE(untested);
  EXPECT_FALSE(untested->has_tests);
  EXPECT_THAT(untested->missing, Contains(HasSubstr("no Python tests")));
}

TEST(InitDraft, TestsThatReportOnlyTheirExitCodeGetTheWayToAReport) {
  const auto shown = [](const std::map<std::string, std::string>& files) {
    const Tree tree(files);
    const auto made = draft(tree);
    EXPECT_TRUE(made);
    loaded(*made);
    return render_target(*made);
  };
  EXPECT_THAT(shown({{"a.c", ""}, {"Makefile", "test:\n\t./t\n"}}),
              HasSubstr("report: {tap: tests.tap}"));
  EXPECT_THAT(shown({{"a.c", ""}, {"CMakeLists.txt", "enable_testing()\n"}}),
              Not(HasSubstr("{tap:")));
  EXPECT_THAT(shown({{"a.c", ""}}), Not(HasSubstr("{tap:"))) << "there is no test to report";
}

TEST(InitDraft, SourcesBelowSrcAreMadeImportable) {
  const Tree tree({{"src/a.py", ""}, {"tests/test_a.py", "import a\n"}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  ASSERT_EQ(target.env.size(), 1U);
  EXPECT_EQ(target.env[0], (std::pair<std::string, std::string>{"PYTHONPATH", "src"}));
}

TEST(InitDraft, MakefileProjectBuildsAndTests) {
  const Tree tree(
      {{"Makefile", "CC := cc\nall: prog\nprog: src/a.c\n\tcc src/a.c\ntest check: prog\n\t./t\n"},
       {"src/a.c", "int main(void) { return 0; }\n"},
       {"src/a.h", ""},
       {"tests/run.c", ""}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("src/*.c", "src/*.h"));
  EXPECT_THAT(values(target.sealed), ElementsAre("tests/**", "Makefile"));
  ASSERT_EQ(target.evaluate.size(), 2U);
  EXPECT_EQ(target.evaluate[0].command, "make -j2");
  EXPECT_EQ(target.evaluate[1].command, "make test");
  EXPECT_EQ(target.objectives[0].metric, "stages.failed");
}

TEST(InitDraft, AMakefileThatTestsFirstGetsNoStageThatBuildsByTesting) {
  const std::map<std::string, std::string> makefiles = {
      {"test: prog\n\t./t\nprog: a.c\n\tcc a.c\n", ""},
      {".PHONY: check\nCC = cc\n%.o: %.c\n\ncheck: prog\n\t./t\n", ""},
      {"all: prog verify\nverify: check\ncheck:\n\t./t\n", ""},
      {"test: all\n\t./t\nall: prog\n", "make -j2 all"},
      {"default: test\nbuild: prog\ntest: build\n", "make -j2 build"},
      {".PHONY: all test\nall: prog  # not test\ntest: all\n\t./t\n", "make -j2"},
      {"all: FLAGS = test\nall: prog\ntest: all\n", "make -j2"},
  };
  for (const auto& [makefile, build] : makefiles) {
    const Tree tree({{"Makefile", makefile}, {"a.c", ""}});
    const auto made = draft(tree);
    ASSERT_TRUE(made) << makefile;
    std::vector<std::string> commands;
    for (const Stage& stage : loaded(*made).evaluate) commands.push_back(stage.command);
    const bool has_test =
        makefile.find("\ntest:") != std::string::npos || makefile.starts_with("test:");
    const std::string test = has_test ? "make test" : "make check";
    if (build.empty()) {
      EXPECT_THAT(commands, ElementsAre(test)) << makefile;
    } else {
      EXPECT_THAT(commands, ElementsAre(build, test)) << makefile;
    }
  }
}

TEST(InitDraft, VariableNamedTestIsNoTarget) {
  const Tree tree({{"Makefile", "test := x\nall:\n\tcc a.c\n"}, {"a.c", ""}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  EXPECT_EQ(loaded(*made).evaluate.size(), 1U);
  EXPECT_THAT(made->missing, Contains(HasSubstr("no C tests")));
}

TEST(InitDraft, CmakeProjectWithTestsReportsJunit) {
  const Tree tree({{"CMakeLists.txt", "project(p C)\nenable_testing()\n"},
                   {"lib/CMakeLists.txt", ""},
                   {"lib/a.c", ""},
                   {"lib/test_a.c", ""}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("lib/a.c"));
  EXPECT_THAT(values(target.sealed),
              ElementsAre("lib/test_a.c", "CMakeLists.txt", "lib/CMakeLists.txt"));
  ASSERT_EQ(target.evaluate.size(), 2U);
  EXPECT_EQ(target.evaluate[1].report, ReportKind::kJunit);
  EXPECT_EQ(target.evaluate[1].report_file, "junit.xml");
  EXPECT_EQ(target.objectives[0].metric, "tests.failed");
}

TEST(InitDraft, PlainCWithATestScript) {
  const Tree tree({{"a.c", ""}, {"test.sh", "cc a.c && ./a.out\n"}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  EXPECT_THAT(values(target.allow), ElementsAre("a.c"));
  EXPECT_THAT(values(target.sealed), ElementsAre("test.sh"));
  EXPECT_EQ(target.evaluate[0].command, "sh test.sh");
}

TEST(InitDraft, BothLanguagesGetStagesOfTheirOwn) {
  const Tree tree({{"Makefile", "all:\n\tcc csrc/a.c\ntest:\n\t./t\n"},
                   {"csrc/a.c", ""},
                   {"pkg/a.py", ""},
                   {"tests/test_a.py", "import pytest\n"}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  const Target target = loaded(*made);
  ASSERT_EQ(target.evaluate.size(), 3U);
  EXPECT_EQ(target.evaluate[2].name, "py");
  EXPECT_THAT(made->languages, ElementsAre("C", "Python"));
}

TEST(InitDraft, NamesWhatItCannotFind) {
  const Tree tree({{"a.py", ""}, {"gui.ts", ""}});
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->has_tests);
  EXPECT_THAT(made->missing, Contains(HasSubstr("no Python tests")));
  EXPECT_THAT(made->found, Contains(HasSubstr("TypeScript")));
  EXPECT_THAT(render_target(*made), HasSubstr("# Not found: no Python tests"));
  loaded(*made);
}

TEST(InitDraft, RefusesWhatTheGeneratorCannotEdit) {
  const Tree tree({{"main.go", ""}, {"README", ""}});
  const auto made = draft(tree);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(made.error().message, HasSubstr("only Go"));
}

TEST(InitDraft, SkipsWhatToolsMadeAndNamesThatNoPatternHolds) {
  const Tree tree({{"src/a.py", ""},
                   {"src/w[1].py", ""},
                   {"src/\x1b[2J.py", ""},
                   {"build/gen.py", ""},
                   {".venv/lib/x.py", ""},
                   {"node_modules/m/x.py", ""},
                   {"tests/test_a.py", ""}});
  fs::create_symlink("/etc", tree.root() / "linked");
  const auto project = list_project(tree.root());
  ASSERT_TRUE(project);
  std::vector<std::string> paths;
  for (const auto& file : project->files) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("src/a.py", "tests/test_a.py"));
  EXPECT_THAT(project->skipped, ElementsAre("\\x1b[2J.py", "w[1].py"));
  const auto made = draft_target(*project, Pytest::kInstalled);
  ASSERT_TRUE(made);
  EXPECT_THAT(render_target(*made), Not(HasSubstr("\x1b")));
  loaded(*made);
}

TEST(InitDraft, ManyDirectoriesAreShownByTheirTop) {
  std::map<std::string, std::string> files{{"tests/test_a.py", ""}};
  for (int i = 0; i < 40; ++i) files["pkg/d" + std::to_string(i) + "/m.py"] = "";
  const Tree tree(files);
  const auto made = draft(tree);
  ASSERT_TRUE(made);
  EXPECT_THAT(values(loaded(*made).allow), ElementsAre("pkg/**/*.py"));
}

TEST(InitDraft, MissingDirectoryIsNamed) {
  const auto project = list_project("/nonexistent/instar");
  ASSERT_FALSE(project);
  EXPECT_EQ(project.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(project.error().message, HasSubstr("/nonexistent/instar"));
}

}  // namespace
}  // namespace instar::engine
