#include "checkpoints/message.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "base/utf8.h"
#include "checkpoints/ledger_position.h"

namespace instar::checkpoints {

namespace {

/// The subject lines of git's own tools are cut at about this width.
constexpr std::size_t kLongestSubject = 72;

/// Any text as one line without control characters.
std::string one_line(std::string_view text) {
  std::string joined(trim(text));
  std::ranges::replace_if(
      joined, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return escape_for_terminal(joined);
}

/// At most `limit` bytes, cut between characters.
std::string shortened(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  return std::string(clipped(text, limit - 3)) + "...";
}

/// A line that some reader of messages or of mail would take for more than text.
bool means_more_than_text(std::string_view line) {
  for (const auto* start : {"instar-", "---", "diff ", "index: ", "from ", "from:", ">from "}) {
    if (starts_with_any_case(line, start)) return true;
  }
  return false;
}

std::string harmless(std::string_view body) {
  std::string out;
  const std::string clean = escape_for_terminal(trim(body), true);
  for (const auto line : split(clean, '\n')) {
    if (means_more_than_text(line)) out += ' ';
    out.append(line).append("\n");
  }
  return out;
}

void add(std::string& out, std::string_view key, std::string_view value) {
  out.append("Instar-").append(key).append(": ").append(one_line(value)).append("\n");
}

}  // namespace

std::string format_metric(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string compose_message(std::string_view purpose, std::string_view body,
                            const CheckpointTrailers& trailers) {
  std::string subject = shortened(one_line(purpose), kLongestSubject);
  if (subject.empty()) subject = "Variant " + one_line(trailers.variant);
  if (means_more_than_text(subject)) subject.insert(0, "'");  // a space would be trimmed away
  std::string message = subject + "\n\n";
  if (!trim(body).empty()) message += harmless(body) + "\n";
  add(message, "Run", trailers.run);
  add(message, "Variant", trailers.variant);
  add(message, "Verdict", trailers.verdict);
  for (const auto& [name, value] : trailers.metrics) add(message, "Metric", name + "=" + value);
  add(message, "Policy", trailers.policy);
  add(message, "Level", trailers.level);
  add(message, "Generator", trailers.generator);
  add(message, "Ledger", format_position(trailers.judged));
  return message;
}

namespace {

Error malformed(const std::string& why) {
  return {.code = ErrorCode::kIntegrity,
          .message = "the trailers of a checkpoint are malformed: " + escape_for_terminal(why),
          .hint = "the commit was not written by instar"};
}

std::string_view last_paragraph(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  const auto at = message.rfind("\n\n");
  return at == std::string_view::npos ? message : message.substr(at + 2);
}

}  // namespace

Result<CheckpointTrailers> parse_trailers(std::string_view message) {
  CheckpointTrailers trailers;
  std::string ledger;
  std::map<std::string_view, std::string*> wanted{{"Run", &trailers.run},
                                                  {"Variant", &trailers.variant},
                                                  {"Verdict", &trailers.verdict},
                                                  {"Policy", &trailers.policy},
                                                  {"Level", &trailers.level},
                                                  {"Generator", &trailers.generator},
                                                  {"Ledger", &ledger}};
  for (auto line : split(last_paragraph(message), '\n')) {
    const auto colon = line.find(": ");
    if (!line.starts_with("Instar-") || colon == std::string_view::npos) {
      return fail(malformed("'" + std::string(line.substr(0, 80)) + "'"));
    }
    const auto key = line.substr(7, colon - 7);
    const auto value = line.substr(colon + 2);
    if (key == "Metric") {
      const auto equals = value.find('=');
      if (equals == std::string_view::npos) return fail(malformed("a metric without a value"));
      trailers.metrics.emplace_back(value.substr(0, equals), value.substr(equals + 1));
      continue;
    }
    const auto slot = wanted.find(key);
    if (slot == wanted.end()) {
      return fail(malformed("'" + std::string(key.substr(0, 80)) + "' is unknown or repeated"));
    }
    *slot->second = value;
    wanted.erase(slot);
  }
  if (!wanted.empty()) {
    return fail(malformed("no Instar-" + std::string(wanted.begin()->first)));
  }
  const auto judged = parse_position(ledger);
  if (!judged) return fail(malformed("Instar-Ledger names no record"));
  trailers.judged = *judged;
  return trailers;
}

}  // namespace instar::checkpoints
