#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace instar::engine {

/// Why a variant was not let in, told so that its author can do better.
struct Refusal {
  std::string path;  ///< escaped for display; may be empty when no path is involved
  std::string rule;  ///< stable dotted name: "path.parent", "protected", "region.outside" …
  std::string rule_source;  ///< file:line of the rule, or "built-in"
  std::string message;      ///< what was tried and why not
  std::string allowed;      ///< what would be allowed
};

/// A value, or the refusal that stands in its place. For the pure parts of the edit window, which
/// meet no error of ours.
template <class T>
class [[nodiscard]] OrRefusal : public tl::expected<T, Refusal> {
 public:
  using tl::expected<T, Refusal>::expected;
  OrRefusal(tl::unexpected<Refusal> refusal) : tl::expected<T, Refusal>(std::move(refusal)) {}
};

/// A refusal by a built-in rule. `path` is raw; it is escaped here, once.
tl::unexpected<Refusal> refuse(std::string_view path, std::string rule, std::string message,
                               std::string allowed);

/// A piece of a variant's text as a refusal may quote it: escaped, at most 80 bytes.
std::string show_text(std::string_view text);

}  // namespace instar::engine
