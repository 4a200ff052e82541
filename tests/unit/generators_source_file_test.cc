#include <gtest/gtest.h>

#include <string>

#include "engine/generators/source_file.h"
#include "engine/syntax/language.h"

namespace instar::engine {
namespace {

std::shared_ptr<const SourceFile> parsed(const std::string& text) {
  Parser parser;
  auto file = SourceFile::parse(parser, kPython, text);
  EXPECT_TRUE(file);
  return *file;
}

/// Whether the first `word` of the text may be changed.
bool may_change(const std::string& text, const std::string& word) {
  const auto begin = static_cast<std::uint32_t>(text.find(word));
  return parsed(text)->may_change(begin, begin + static_cast<std::uint32_t>(word.size()));
}

TEST(SourceFile, OnlyBlocksMayChangeWhereThereAreSome) {
  const std::string text =
      "a = 1\n# EVOLVE-BLOCK-START one\nb = 2\n# EVOLVE-BLOCK-END one\nc = 3\n";
  EXPECT_FALSE(may_change(text, "a = 1"));
  EXPECT_TRUE(may_change(text, "b = 2\n"));
  EXPECT_FALSE(may_change(text, "c = 3"));
  EXPECT_FALSE(may_change(text, "b = 2\n#"));
  EXPECT_TRUE(may_change("a = 1\nb = 2\n", "a = 1"));
}

TEST(SourceFile, NothingMayChangeWhereTheEditWindowWouldRefuseEveryChange) {
  for (const std::string& text :
       {std::string("s = 'EVOLVE-BLOCK-START'\nb = 2\ne = 'EVOLVE-BLOCK-END'\n"),
        std::string("# EVOLVE-BLOCK-START\nb = 2\n"),
        std::string("# evolve_block_start\nb = 2\n# evolve_block_end\n"),
        std::string("# EVOLVE-BLOCK-START x\nb = 2\n# EVOLVE-BLOCK-END y\n")}) {
    EXPECT_FALSE(may_change(text, "b = 2")) << text;
  }
}

}  // namespace
}  // namespace instar::engine
