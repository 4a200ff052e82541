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

/// What a cell learns of a file of the host that it cannot open is told by name.
TEST(HostProbes, WhatACellLearnsOfShutFilesIsNamed) {
  as_each_user([] {
    const TempDir place = TempDir::create("cell-shut").value();
    ASSERT_EQ(::chmod(place.path().c_str(), 0755), 0);
    std::ofstream(place.path() / "file") << "hidden";
    std::filesystem::create_symlink("target", place.path() / "link");
    const CellReport report = CellHarness().python(
        "import os\n"
        "place = '" +
        place.path().string() +
        "'\n"
        "def worked(name, call, *args):\n"
        "    try: call(*args); print(name)\n"
        "    except OSError: pass\n"
        "worked('open', open, place + '/file')\n"
        "worked('listdir', os.listdir, place)\n"
        "worked('stat', os.stat, place + '/file')\n"
        "worked('statvfs', os.statvfs, place)\n"
        "worked('readlink', os.readlink, place + '/link')\n"
        "worked('listxattr', os.listxattr, place + '/file')\n"
        "worked('O_PATH', os.open, place + '/file', os.O_PATH)\n"
        "worked('chdir', os.chdir, place)\n");
    EXPECT_EQ(report.out.head, "stat\nstatvfs\nreadlink\nlistxattr\nO_PATH\nchdir\n");
    std::string told;
    for (const std::string& sentence : not_stopped_by_guarded()) {
      if (sentence.starts_with("stat")) told = sentence;
    }
    std::istringstream possible(report.out.head);
    for (std::string name; possible >> name;) {
      EXPECT_NE(told.find(name), std::string::npos) << name;
    }
  });
}

}  // namespace
}  // namespace instar::isolation
