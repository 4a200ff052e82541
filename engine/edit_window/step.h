#pragma once

#include <tl/expected.hpp>
#include <utility>
#include <variant>

#include "base/error.h"
#include "engine/edit_window/refusal.h"

namespace instar::engine {

/// What ends the work on a variant: a fault of ours, or a refusal, which is data about the variant.
/// They never turn into each other.
using Stop = std::variant<Error, Refusal>;

/// A value, or what ended the work.
template <class T>
class [[nodiscard]] Step : public tl::expected<T, Stop> {
 public:
  using tl::expected<T, Stop>::expected;
  Step(tl::unexpected<Stop> stop) : tl::expected<T, Stop>(std::move(stop)) {}
  Step(tl::unexpected<Refusal> refusal)
      : tl::expected<T, Stop>(tl::unexpect, std::move(refusal).value()) {}
};

}  // namespace instar::engine

/// The value of a Result, OrRefusal or Step; or returns from here with what ended it, as a Stop.
#define INSTAR_STEP(expression)                                                       \
  __extension__({                                                                     \
    auto&& instar_step_ = (expression);                                               \
    if (!instar_step_) {                                                              \
      return tl::unexpected<::instar::engine::Stop>(std::move(instar_step_).error()); \
    }                                                                                 \
    std::move(instar_step_).value();                                                  \
  })

/// The same for one without a value, as a statement.
#define INSTAR_STEP_CHECK(expression)                                                 \
  do {                                                                                \
    auto&& instar_step_ = (expression);                                               \
    if (!instar_step_) {                                                              \
      return tl::unexpected<::instar::engine::Stop>(std::move(instar_step_).error()); \
    }                                                                                 \
  } while (false)
