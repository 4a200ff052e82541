#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "engine/config/policy.h"
#include "engine/config/target.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;

// The strict reader takes every example, under the policy that users have.
TEST(Examples, TargetsLoad) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(INSTAR_SOURCE_DIR) / "examples")) {
    if (!fs::exists(entry.path() / "instar.yaml")) continue;
    Policy policy = parse_policy(std::string(default_policy_text()), "safety.yaml").value();
    const auto target = load_target(entry.path(), policy);
    ASSERT_TRUE(target) << entry.path() << ": " << target.error().message;
    EXPECT_FALSE(target->objectives.empty()) << entry.path();
    EXPECT_FALSE(target->sealed.empty()) << entry.path();
    names.insert(target->name);
  }
  EXPECT_GE(names.size(), 10U) << "names are distinct";
}

}  // namespace
}  // namespace instar::engine
