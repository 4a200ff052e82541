#include <gtest/gtest.h>

#include <algorithm>

#include "isolation/cell_environment.h"

namespace instar::isolation {
namespace {

const CellPaths kPaths{.work = "/w", .home = "/c/home", .temp = "/c/tmp", .out = "/c/out"};

TEST(CellEnvironment, HasWhatEveryCellHasAndWhatIsNamed) {
  const auto environment = build_environment(kPaths, {{"MODE", "fast"}, {"LANG", "C"}}).value();
  for (const char* expected : {"MODE=fast", "LANG=C", "HOME=/c/home", "TMPDIR=/c/tmp",
                               "INSTAR_WORK=/w", "INSTAR_OUT=/c/out", "LD_LIBRARY_PATH=lib"}) {
    const bool there =
        std::find(environment.begin(), environment.end(), expected) != environment.end();
    EXPECT_EQ(there, std::string_view(expected) != "LD_LIBRARY_PATH=lib") << expected;
  }
  EXPECT_TRUE(build_environment(kPaths, {{"LD_LIBRARY_PATH", "lib"}}));
}

TEST(CellEnvironment, RefusesNamesAndValuesThatDeceive) {
  const EnvVar refused[] = {{"", "x"},           {"A=B", "x"},       {"1A", "x"},
                            {"A B", "x"},        {"A", "x\ny"},      {"A", std::string("x\0y", 3)},
                            {"LD_PRELOAD", "x"}, {"LD_AUDIT", "x"},  {"GLIBC_TUNABLES", "x"},
                            {"INSTAR_OUT", "x"}, {"INSTAR_NEW", "x"}};
  for (const EnvVar& variable : refused) {
    const auto built = build_environment(kPaths, {variable});
    ASSERT_FALSE(built) << variable.name;
    EXPECT_EQ(built.error().code, ErrorCode::kInvalidInput);
  }
  EXPECT_FALSE(build_environment(kPaths, {{"A", "1"}, {"A", "2"}}));
}

}  // namespace
}  // namespace instar::isolation
