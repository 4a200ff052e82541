#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/init/write_new.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;

TEST(InitWriteNew, WritesAFileThatIsNotThere) {
  const auto directory = TempDir::create("instar-new");
  ASSERT_TRUE(directory);
  const fs::path path = directory->path() / "instar.yaml";
  ASSERT_TRUE(write_new_file(path, "version: 1\n"));
  EXPECT_EQ(read_file(path, 100).value(), "version: 1\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory->path()), {}), 1) << "nothing is left";
}

TEST(InitWriteNew, NeverReplacesWhatIsThere) {
  const auto directory = TempDir::create("instar-new");
  ASSERT_TRUE(directory);
  const fs::path path = directory->path() / "instar.yaml";
  ASSERT_TRUE(write_file_atomic(path, "mine\n"));
  const auto refused = write_new_file(path, "other\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("--stdout"));
  EXPECT_EQ(read_file(path, 100).value(), "mine\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory->path()), {}), 1);
}

TEST(InitWriteNew, NeverWritesThroughALinkThatLeadsNowhere) {
  const auto directory = TempDir::create("instar-new");
  ASSERT_TRUE(directory);
  fs::create_symlink(directory->path() / "elsewhere", directory->path() / "instar.yaml");
  EXPECT_FALSE(write_new_file(directory->path() / "instar.yaml", "x"));
  EXPECT_FALSE(fs::exists(directory->path() / "elsewhere"));
}

}  // namespace
}  // namespace instar::engine
