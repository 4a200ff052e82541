#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/edit_window/glob.h"
#include "engine/edit_window/protected_paths.h"
#include "engine/edit_window/surface_rules.h"

namespace instar::engine {
namespace {

using enum Glob::Use;

bool matches(std::string_view pattern, std::string_view path) {
  const auto glob = Glob::compile(pattern, kPermit);
  EXPECT_TRUE(glob) << pattern;
  return glob && glob->matches(PathForms(path));
}

TEST(EditWindowGlob, MatchesOnComponents) {
  EXPECT_TRUE(matches("src/*.c", "src/a.c"));
  EXPECT_FALSE(matches("src/*.c", "src/sub/a.c"));
  EXPECT_FALSE(matches("src/*.c", "srcx/a.c"));
  EXPECT_TRUE(matches("src/**", "src/a/b/c.py"));
  EXPECT_FALSE(matches("src/**", "src"));
  EXPECT_FALSE(matches("src/**", "src2/a"));
  EXPECT_TRUE(matches("src/", "src/a/b"));
  EXPECT_FALSE(matches("src/", "src"));
  EXPECT_TRUE(matches("**/test_*.py", "test_a.py"));
  EXPECT_TRUE(matches("**/test_*.py", "x/y/test_a.py"));
  EXPECT_TRUE(matches("a/**/z", "a/z"));
  EXPECT_TRUE(matches("a/**/z", "a/b/c/z"));
  EXPECT_FALSE(matches("a/**/z", "a/b/c/zz"));
  EXPECT_TRUE(matches("**", "anything/at/all"));
  EXPECT_TRUE(matches("?.c", "\xC3\xA9.c"));
  EXPECT_FALSE(matches("?.c", "ab.c"));
  EXPECT_TRUE(matches("*a*b*c", "xxaxxbxxabc"));
  EXPECT_FALSE(matches("*a*b*c", "xxaxxbxxabd"));
  EXPECT_FALSE(matches("*.py", "src/a.py"));
  EXPECT_FALSE(matches("src/a.c", "SRC/a.c"));
}

TEST(EditWindowGlob, FoldedPatternsMatchEverySpelling) {
  const auto glob = Glob::compile("Deploy/*.Sh", kDeny);
  ASSERT_TRUE(glob);
  EXPECT_TRUE(glob->matches(PathForms("deploy/run.sh")));
  EXPECT_TRUE(glob->matches(PathForms("DEPLOY/RUN.SH")));
  EXPECT_TRUE(glob->matches(PathForms("deploy/run.sh/below")));
  EXPECT_FALSE(glob->matches(PathForms("deploy/run.py")));
  const auto dotted = Glob::compile("conf.?", kDeny);
  ASSERT_TRUE(dotted);
  EXPECT_TRUE(dotted->matches(PathForms("conf.d")));
}

TEST(EditWindowGlob, AnchorsANameOnlyWhereAsked) {
  EXPECT_TRUE(Glob::compile("*.pem", kProtect)->matches(PathForms("a/b/k.pem")));
  EXPECT_FALSE(Glob::compile("*.pem", kDeny)->matches(PathForms("a/b/k.pem")));
  EXPECT_FALSE(Glob::compile("a/k.pem", kProtect)->matches(PathForms("b/a/k.pem")));
}

TEST(EditWindowGlob, RefusesPatternsItWouldNotObey) {
  for (const char* pattern :
       {"", "/etc/*", "!src/**", "src/[ab].c", "src/*.{c,h}", "src\\a", "../x", "./src", "src//a",
        "src/a**", "/", "\xFF", "e\xCC\x81", "a\xE2\x80\x8B"}) {
    const auto glob = Glob::compile(pattern, kPermit);
    ASSERT_FALSE(glob) << pattern;
    EXPECT_EQ(glob.error().code, ErrorCode::kInvalidInput);
  }
  EXPECT_TRUE(Glob::compile("src/**", kPermit));
}

TEST(EditWindowGlob, HostilePatternsAndPathsTakeBoundedTime) {
  std::string pattern;
  std::string path;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  for (int i = 0; i < 250; ++i) path += "a";
  EXPECT_FALSE(matches(pattern + "b", path));
  std::string deep_pattern;
  std::string deep;
  for (int i = 0; i < 60; ++i) deep_pattern += "**/a/";
  for (int i = 0; i < 1500; ++i) deep += "a/";
  EXPECT_FALSE(matches(deep_pattern + "b", deep + "c"));
}

/// The definition of a match, without regard to time.
bool reference(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return reference(pattern.substr(1), text) ||
           (!text.empty() && reference(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         reference(pattern.substr(1), text.substr(1));
}

RC_GTEST_PROP(EditWindowGlob, AgreesWithTheDefinition, ()) {
  const auto text = *rc::gen::nonEmpty(
      rc::gen::resize(12, rc::gen::container<std::string>(rc::gen::element('a', 'b'))));
  const auto pattern = *rc::gen::suchThat(
      rc::gen::nonEmpty(rc::gen::resize(
          8, rc::gen::container<std::string>(rc::gen::element('a', 'b', '*', '?')))),
      [](const std::string& p) { return p.find("**") == std::string::npos; });
  RC_ASSERT(matches(pattern, text) == reference(pattern, text));
}

std::string decision(const Surface& surface, std::string_view path) {
  const auto rules = SurfaceRules::compile(surface);
  if (!rules) return rules.error().message;
  const auto checked = rules->check(path);
  return checked ? "allowed" : checked.error().rule + " " + checked.error().rule_source;
}

const Surface kOpen{.allow = {{"**", "instar.yaml:4"}}, .deny = {}, .protect = {}};

TEST(EditWindowSurface, AllowsNothingByDefault) {
  EXPECT_EQ(decision({}, "src/a.c"), "surface built-in");
  EXPECT_EQ(decision(kOpen, "src/a.c"), "allowed");
}

TEST(EditWindowSurface, IsAllowedMinusDeniedMinusProtected) {
  const Surface surface{
      .allow = {{"src/**", "instar.yaml:4"}},
      .deny = {{"src/vendor", "instar.yaml:5"}},
      .protect = {{"src/tests/**", "instar.yaml:6"}, {"*.lock", "safety.yaml:9"}}};
  EXPECT_EQ(decision(surface, "src/a.c"), "allowed");
  EXPECT_EQ(decision(surface, "srcs/a.c"), "surface built-in");
  EXPECT_EQ(decision(surface, "SRC/a.c"), "surface built-in");
  EXPECT_EQ(decision(surface, "src/vendor/z.c"), "surface instar.yaml:5");
  EXPECT_EQ(decision(surface, "src/VENDOR/z.c"), "surface instar.yaml:5");
  EXPECT_EQ(decision(surface, "src/tests/t.c"), "protected instar.yaml:6");
  EXPECT_EQ(decision(surface, "src/Tests/t.c"), "protected instar.yaml:6");
  EXPECT_EQ(decision(surface, "src/deep/x.lock"), "protected safety.yaml:9");
}

TEST(EditWindowSurface, ARefusalTeachesWhatIsAllowed) {
  const auto rules = SurfaceRules::compile({.allow = {{"src/**", "instar.yaml:4"}},
                                            .deny = {{"src/vendor/**", "instar.yaml:5"}},
                                            .protect = {}});
  const auto refused = rules->check("Makefile");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "Makefile");
  EXPECT_EQ(refused.error().allowed,
            "src/** (instar.yaml:4), but not src/vendor/** (instar.yaml:5)");
}

TEST(EditWindowSurface, APatternThatCannotBeObeyedIsAnErrorWithItsPlace) {
  const auto rules = SurfaceRules::compile({.allow = {{"src/**", "instar.yaml:4"}},
                                            .deny = {{"*.{c,h}", "instar.yaml:7"}},
                                            .protect = {}});
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(rules.error().message.find("instar.yaml:7"), std::string::npos);
}

class EditWindowProtected : public testing::TestWithParam<std::string> {};

TEST_P(EditWindowProtected, AtAnyDepthWhateverTheSurfaceSays) {
  const std::string name = GetParam();
  for (const std::string& path : {name, "src/" + name, "src/deep/er/" + name, name + "/below"}) {
    EXPECT_EQ(decision(kOpen, path), "protected built-in") << path;
  }
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(decision(kOpen, "src/" + upper), "protected built-in") << upper;
  EXPECT_EQ(decision(kOpen, "src/x" + name + "x"), "allowed");
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, EditWindowProtected,
                         testing::Values(".git", ".gitattributes", ".gitmodules", ".gitignore",
                                         ".github", ".gitlab-ci.yml", "instar.yaml", "safety.yaml",
                                         "instar_pytest_plugin", "instar_pytest_plugin.py",
                                         "instar_pytest_plugin.cpython-311-x86_64-linux-gnu.so",
                                         ".env", ".env.local", "key.pem", "a.p12", "a.pfx", "a.jks",
                                         "id_rsa", "id_rsa.pub", "id_ed25519", "id_ecdsa_sk",
                                         ".netrc", ".npmrc", ".pypirc", ".htpasswd", ".circleci",
                                         "Jenkinsfile", "Jenkinsfile.deploy", ".ssh", ".aws",
                                         "CODEOWNERS", ".travis.yml", ".husky",
                                         ".pre-commit-config.yaml"));

TEST(EditWindowProtectedPaths, EveryEntryCompilesAndHasAReason) {
  EXPECT_TRUE(SurfaceRules::compile({}));
  for (const ProtectedPath& path : built_in_protected_paths()) {
    EXPECT_FALSE(path.reason.empty()) << path.pattern;
  }
}

}  // namespace
}  // namespace instar::engine
