#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/run/target_place.h"
#include "tests/support/temp_repository.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(TargetPlace, WhatEveryCellCanReadIsRefusedAlsoThroughALink) {
  const auto scratch = TempDir::create("instar-test").value();
  fs::create_symlink("/usr/share", scratch.path() / "link");
  for (const fs::path& path : {fs::path("/usr"), fs::path("/usr/src/program"),
                               fs::path("/usr/../usr/lib/x"), scratch.path() / "link/program"}) {
    const auto refused = out_of_sight(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
    EXPECT_THAT(refused.error().message, HasSubstr("/usr"));
  }
  EXPECT_TRUE(out_of_sight(scratch.path()));
  EXPECT_TRUE(out_of_sight("/usrlocal/program")) << "names are compared, not their beginnings";
}

TEST(TargetPlace, OnlyTheTopOfARepositoryIsTaken) {
  const checkpoints::Files files{{.path = "inner/src/a.py", .content = "x = 1\n", .mode = {}}};
  const checkpoints::TempRepository repo(files);
  EXPECT_TRUE(check_place(repo.path(), repo.repository()));
  EXPECT_TRUE(check_place(repo.path() / "inner/..", repo.repository()));
  const auto refused = check_place(repo.path() / "inner", repo.repository());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message, HasSubstr("not the top"));
  EXPECT_THAT(refused.error().hint, HasSubstr("\"inner/**\""));
}

}  // namespace
}  // namespace instar::engine
