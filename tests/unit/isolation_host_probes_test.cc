#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "isolation/host_probes.h"
#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

/// Lines and their lengths are the text's own business.
std::string words_of(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string word; in >> word;) out += word + " ";
  return out;
}

TEST(HostProbes, SecurityPageSaysWhatDoctorSays) {
  const auto page =
      read_file(std::filesystem::path(INSTAR_SOURCE_DIR) / "SECURITY.md", 1 << 20).value();
  const std::string words = words_of(page);
  as_each_user([&] {
    const auto sentences = not_stopped_by_guarded();
    EXPECT_GE(sentences.size(), ::geteuid() == 0 ? 9U : 11U);
    for (const std::string& sentence : sentences) {
      EXPECT_NE(words.find(words_of("- " + sentence)), std::string::npos) << sentence;
    }
  });
}

}  // namespace
}  // namespace instar::isolation
