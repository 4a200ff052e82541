#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "engine/edit_window/path_alias.h"
#include "engine/edit_window/path_rules.h"
#include "engine/edit_window/surface_rules.h"

namespace instar::engine {
namespace {

std::string rule_for(std::string_view path) {
  const auto checked = check_path(path);
  return checked ? "" : checked.error().rule;
}

TEST(EditWindowPathRules, AcceptsOrdinaryPaths) {
  for (const char* path : {"a", "src/main.c", "src/a b/c-d_e.py", "lib/\xC3\xA9t\xC3\xA9.py",
                           "docs/\xE4\xB8\xAD.md", "git~x",
                           "\xE7\xAC\xAC\xEF\xBC\x9A"
                           "a.md",
                           "x..y/...z", ".hidden", "a~b", "long~name~1file.txt", "-dash",
                           "src/[id].tsx", "a/b/c/d/e/f"}) {
    EXPECT_EQ(rule_for(path), "") << path;
  }
}

struct Case {
  std::string path;
  std::string rule;
};

class EditWindowPathRulesRefuse : public testing::TestWithParam<Case> {};

TEST_P(EditWindowPathRulesRefuse, NamesTheRule) {
  EXPECT_EQ(rule_for(GetParam().path), GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(
    HostileNames, EditWindowPathRulesRefuse,
    testing::Values(
        Case{"", "path.empty"}, Case{"/etc/passwd", "path.absolute"}, Case{"..", "path.parent"},
        Case{"../x", "path.parent"}, Case{"src/../../x", "path.parent"},
        Case{"src/..", "path.parent"}, Case{".", "path.dot"}, Case{"./src/a.c", "path.dot"},
        Case{"src/./a.c", "path.dot"}, Case{"src//a.c", "path.empty_part"},
        Case{"src/", "path.empty_part"}, Case{"src\\a.c", "path.backslash"},
        Case{"..\\a.c", "path.backslash"}, Case{"src/a.c.", "path.trailing"},
        Case{"src./a.c", "path.trailing"}, Case{".git ", "path.trailing"},
        Case{".git. .", "path.trailing"}, Case{"...", "path.trailing"},
        Case{".git::$INDEX_ALLOCATION/config", "path.stream"}, Case{"C:x", "path.stream"},
        Case{"src/a.c:stream", "path.stream"}, Case{"git~1/config", "path.short_name"},
        Case{"GIT~12", "path.short_name"}, Case{"SAFETY~1.YAM", "path.short_name"},
        Case{"\xE2\x80\xA5/x", "path.compatibility"}, Case{"\xEF\xBC\x8E", "path.compatibility"},
        Case{"a\xEF\xBC\x8F"
             "b",
             "path.compatibility"},
        Case{"a\xEF\xBC\xBC"
             "b",
             "path.compatibility"},
        Case{"git~\xEF\xBC\x91", "path.compatibility"}, Case{"src/a\nb", "path.control"},
        Case{std::string("src/a\0b", 7), "path.control"}, Case{"src/a\x1B[2J", "path.control"},
        Case{"src/\x7F", "path.control"}, Case{"src/a\rb", "path.control"},
        Case{"src/a\tb", "path.control"}, Case{"src/\xC2\x85", "path.invisible"},  // a C1 control
        Case{"src/\xE2\x80\xAE"
             "c.a",
             "path.invisible"},  // right-to-left override
        Case{"src/\xE2\x81\xA6"
             "a",
             "path.invisible"},  // isolate
        Case{".g\xE2\x80\x8C"
             "it/config",
             "path.invisible"},  // zero width non-joiner
        Case{"\xEF\xBB\xBF"
             ".git",
             "path.invisible"},  // byte order mark
        Case{".gi\xCD\x8F"
             "t",
             "path.invisible"},                       // combining grapheme joiner
        Case{"a\xEF\xB8\x8F", "path.invisible"},      // variation selector
        Case{"a\xF3\xA0\x81\x81", "path.invisible"},  // tag letter
        Case{"a\xE3\x85\xA4", "path.invisible"},      // Hangul filler
        Case{"a\xC2\xA0"
             "b",
             "path.invisible"},                                      // no-break space
        Case{"a\xE2\x80\xA8", "path.invisible"},                     // line separator
        Case{"a\xEE\x80\x80", "path.invisible"},                     // private use
        Case{"a\xCD\xB8", "path.invisible"},                         // unassigned
        Case{"e\xCC\x81.py", "path.nfc"},                            // decomposed
        Case{"\xE2\x84\xAA.py", "path.nfc"},                         // Kelvin sign
        Case{"a\xFF", "path.utf8"}, Case{"a\xC0\xAE", "path.utf8"},  // overlong dot
        Case{"\xED\xA0\x80", "path.utf8"},                           // surrogate
        Case{"a\xE2\x82", "path.utf8"}, Case{std::string(256, 'a'), "path.component_length"},
        Case{"src/" + std::string(300, 'b'), "path.component_length"}));

TEST(EditWindowPathRules, BoundsTheLengthOfAPath) {
  std::string path = "a";
  while (path.size() + 2 <= kMaxPathBytes) path += "/a";
  EXPECT_EQ(rule_for(path), "");
  EXPECT_EQ(rule_for(path + "/a"), "path.length");
  EXPECT_EQ(rule_for(std::string(kMaxComponentBytes, 'a')), "");
}

TEST(EditWindowPathRules, ARefusalShowsAHostilePathEscapedAndShort) {
  const auto refused = check_path("src/\x1B[2J" + std::string(3000, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path.find('\x1B'), std::string::npos);
  EXPECT_NE(refused.error().path.find("\\x1b"), std::string::npos);
  EXPECT_LT(refused.error().path.size(), 300U);
  EXPECT_FALSE(refused.error().allowed.empty());
}

TEST(EditWindowPathAlias, FoldsSpellingsThatFileSystemsTakeForOne) {
  for (const char* alias :
       {".git", ".GIT", ".Git", ".g\xC4\xB1t", ".g\xE2\x80\x8Dit", ".git ", ".git.", ".git. . ",
        ".git::$INDEX_ALLOCATION", ".git:x", ".git.\xE2\x80\x8B.", "\xEF\xBC\x8Egit",
        ".\xEF\xBD\x87it", "\xEF\xBB\xBF.git"}) {
    EXPECT_EQ(folded(alias), ".git") << alias;
  }
  EXPECT_EQ(folded("e\xCC\x81"), folded("\xC3\x89"));
  EXPECT_EQ(folded("A/B.c/D"), "a/b.c/d");
  EXPECT_NE(folded("gitx"), ".git");
  EXPECT_EQ(folded("\xFF"), std::nullopt);
}

/// Text that a hostile author would try: pieces of protected names between odd characters.
rc::Gen<std::string> hostile_path() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          ".", "g", "i", "t", "G", "I", "T", "git", ".git", "~1", "~", "1", "/", "/", " ", ":",
          "\xC4\xB1", "\xE2\x80\x8C", "\xEF\xBC\x8E", "\xEF\xBD\x87", "\xEF\xBB\xBF", "\xC5\xBF",
          "e\xCC\x81", "\xCC\x81", "\xC3\xA9", "env", ".env", "instar.yaml", "Instar.YAML", "pem",
          ".pem", "id_rsa", "Jenkins", "\xEF\xAC\x81", "file", "le", "\xE2\x80\xA5", "\xEF\xBC\x8F",
          "\xEF\xBC\x91", "src", "\\", "*", "\n", "\xFF")),
      [](const std::vector<std::string>& parts) {
        std::string out;
        for (const auto& part : parts) out += part;
        return out;
      });
}

RC_GTEST_PROP(EditWindowPathRules, NoFoldingOfAChangeablePathReachesAProtectedName, ()) {
  const std::string path = *hostile_path();
  const auto rules = SurfaceRules::compile({.allow = {{"**", "t:1"}}, .deny = {}, .protect = {}});
  if (!check_path(path) || !rules->check(path)) return;
  const std::string plain = folded(path).value();
  for (const std::string_view part : split(plain, '/')) {
    RC_ASSERT(!part.empty());
    RC_ASSERT(part != "." && part != "..");
    RC_ASSERT(!part.starts_with(".git"));
    RC_ASSERT(!has_short_name_form(part));
    RC_ASSERT(!part.starts_with(".env"));
    RC_ASSERT(!part.starts_with("jenkinsfile"));
    RC_ASSERT(!part.starts_with("id_rsa"));
    RC_ASSERT(!part.ends_with(".pem"));
    RC_ASSERT(part != "instar.yaml");
  }
  // And it is one name everywhere: cutting, composing and re-folding find nothing new.
  RC_ASSERT(nfc(path) == path);
  RC_ASSERT(folded(plain) == plain);
}

RC_GTEST_PROP(EditWindowPathRules, AnyBytesAreJudgedAndAnAcceptedPathIsPlain,
              (const std::string& path)) {
  if (!check_path(path)) return;
  RC_ASSERT(!path.empty() && path.front() != '/' && path.back() != '/');
  RC_ASSERT(std::none_of(path.begin(), path.end(), [](char c) {
    return (c >= 0 && c < 0x20) || c == 0x7F || c == '\\' || c == ':';
  }));
  RC_ASSERT(escape_for_terminal(path) == path);
}

}  // namespace
}  // namespace instar::engine
