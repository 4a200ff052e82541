#include "engine/edit_window/refusal.h"

#include "base/text.h"
#include "base/utf8.h"

namespace instar::engine {

namespace {

/// A hostile name may be megabytes long; a refusal stays readable and goes into the ledger.
constexpr std::size_t kLongestShown = 200;

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return escape_for_terminal(text);
  return escape_for_terminal(clipped(text, most)) + "… (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

tl::unexpected<Refusal> refuse(std::string_view path, std::string rule, std::string message,
                               std::string allowed) {
  return tl::unexpected<Refusal>(Refusal{.path = shortened(path, kLongestShown),
                                         .rule = std::move(rule),
                                         .rule_source = "built-in",
                                         .message = std::move(message),
                                         .allowed = std::move(allowed)});
}

std::string show_text(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return "`" + shortened(text, 80) + "`";
}

}  // namespace instar::engine
