#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace instar {

/// A value or the Error that explains why there is none. Cannot be dropped silently.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(tl::unexpected<Error> error) : tl::expected<T, Error>(std::move(error)) {}
};

/// Makes the failed Result: `return fail(ErrorCode::kNotFound, "no run named x", "instar log lists
/// the runs");`
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return fail(Error{.code = code, .message = std::move(message), .hint = std::move(hint)});
}

}  // namespace instar

#define INSTAR_JOIN2(a, b) a##b
#define INSTAR_JOIN(a, b) INSTAR_JOIN2(a, b)

// A name of its own for each use, so that one may stand inside another.
#define INSTAR_TRY_AS(name, expression)                        \
  __extension__({                                              \
    auto&& name = (expression);                                \
    if (!name) return ::instar::fail(std::move(name).error()); \
    std::move(name).value();                                   \
  })

/// The value of a Result, or return from here with its error: `Fd fd =
/// INSTAR_TRY(open_file(path));`
#define INSTAR_TRY(expression) INSTAR_TRY_AS(INSTAR_JOIN(instar_result_, __COUNTER__), expression)

/// The same for a Result<void>, as a statement.
#define INSTAR_CHECK(expression)                                                     \
  do {                                                                               \
    auto&& instar_checked_ = (expression);                                           \
    if (!instar_checked_) return ::instar::fail(std::move(instar_checked_).error()); \
  } while (false)
