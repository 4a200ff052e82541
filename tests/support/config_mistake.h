#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "base/result.h"

namespace instar {

/// One mistake in a configuration file: where it must be found, and what the message and the fix
/// must name.
struct ConfigMistake {
  const char* body;
  const char* place;  ///< "line:column"
  const char* says;
  const char* fix;
};

inline void PrintTo(const ConfigMistake& mistake, std::ostream* out) { *out << mistake.body; }

template <class T>
void expect_refused(const Result<T>& result, const std::string& file,
                    const ConfigMistake& mistake) {
  ASSERT_FALSE(result) << "accepted:\n" << mistake.body;
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(result.error().message, testing::StartsWith(file + ":" + mistake.place + ": "));
  EXPECT_THAT(result.error().message, testing::HasSubstr(mistake.says));
  EXPECT_THAT(result.error().hint, testing::HasSubstr(mistake.fix));
}

}  // namespace instar
