#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/bridge.h"

namespace instar::cli {
namespace {

using testing::HasSubstr;

TEST(Bridge, HandsOnWhatTheActionGives) {
  EXPECT_EQ(run_action([]() -> Result<ExitCode> { return ExitCode::kNegative; }),
            ExitCode::kNegative);
  const auto failed = run_action(
      []() -> Result<ExitCode> { return fail(ErrorCode::kIntegrity, "the ledger is cut"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIntegrity);
}

TEST(Bridge, ExceptionOfTheSystemIsAnErrorOfTheSystem) {
  const auto failed = run_action([]() -> Result<ExitCode> {
    throw std::system_error(EAGAIN, std::generic_category(), "cannot start a thread");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
  EXPECT_EQ(failed.error().sys_errno, EAGAIN);
  EXPECT_THAT(failed.error().message, HasSubstr("cannot start a thread"));
  EXPECT_THAT(failed.error().hint, HasSubstr("--jobs"));
}

TEST(Bridge, AnyOtherExceptionIsOurFault) {
  const auto failed = run_action([]() -> Result<ExitCode> {
    (void)nlohmann::json::object().at("variant");
    return ExitCode::kDone;
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(failed.error().message, HasSubstr("variant"));
}

}  // namespace
}  // namespace instar::cli
