#include "engine/config/fields.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "engine/config/units.h"
#include "engine/edit_window/glob.h"

namespace instar::engine {

namespace {

constexpr std::string_view kCountForm = "a whole number such as 200";
constexpr std::string_view kDurationForm = "a duration with its unit: 250ms, 1.5s, 60s, 5m or 8h";
constexpr std::string_view kSizeForm = "a size with its unit: 512KiB, 256MiB or 2GiB";
constexpr std::string_view kRelativeForm = "a relative number: 0.10 or 10%";

/// The scalar's text, where a collection or nothing is an error that names the form.
Result<std::string> scalar(const Value& value, std::string_view form) {
  const YamlNode& node = value.node();
  switch (node.kind) {
    case YamlNode::Kind::kScalar:
      return node.text;
    case YamlNode::Kind::kNull:
      return value.refuse("has no value", "write " + std::string(form));
    case YamlNode::Kind::kSequence:
      return value.refuse("needs one value, not a list", "write " + std::string(form));
    case YamlNode::Kind::kMap:
      break;
  }
  return value.refuse("needs one value, not a map", "write " + std::string(form));
}

template <class T>
Result<T> measured(const Value& value, Range<T> range, std::string_view form,
                   const std::function<std::optional<T>(std::string_view)>& parse,
                   const std::function<std::string(T)>& show) {
  const std::string text = INSTAR_TRY(scalar(value, form));
  const auto parsed = value.node().quoted ? std::nullopt : parse(text);
  if (!parsed) {
    return value.refuse(
        ticked(text) + " is not " + std::string(form),
        value.node().quoted ? "write it without quotes" : "write " + std::string(form));
  }
  if (*parsed < range.least || *parsed > range.most) {
    return value.refuse(ticked(text) + " is out of range",
                        "use a value from " + show(range.least) + " to " + show(range.most));
  }
  return *parsed;
}

/// A key for a limit of any unit: lower is stricter.
template <class T>
Key limit(std::string name, T& into, std::function<Result<T>(const Value&)> read_value,
          std::function<std::string(T)> show) {
  const auto read = [&into, read_value, show](const Value& value) -> Result<void> {
    const T wanted = INSTAR_TRY(read_value(value));
    if (value.context().mode == Mode::kTighten && wanted > into) {
      return value.refuse_loosening(show(wanted), show(into));
    }
    into = wanted;
    return {};
  };
  return {.name = std::move(name), .read = read, .show = [&into, show] { return show(into); }};
}

std::string show_count(std::uint64_t value) { return std::to_string(value); }

}  // namespace

Result<std::string> read_text(const Value& value, Lines lines) {
  std::string text = INSTAR_TRY(scalar(value, "a text"));
  if (trim(text).empty()) return value.refuse("is empty", "write a text, or remove the key");
  if (escape_for_terminal(text, lines == Lines::kMany) != text) {
    return value.refuse(ticked(text) + " holds control or invisible characters",
                        "write plain text in one line");
  }
  return text;
}

Result<bool> read_flag(const Value& value) {
  const std::string text = INSTAR_TRY(scalar(value, "true or false"));
  if (!value.node().quoted && text == "true") return true;
  if (!value.node().quoted && text == "false") return false;
  return value.refuse(ticked(text) + " is not true or false",
                      "write true or false, without quotes");
}

Result<std::uint64_t> read_count(const Value& value, Range<std::uint64_t> range) {
  return measured<std::uint64_t>(value, range, kCountForm, parse_count, show_count);
}

Result<std::chrono::milliseconds> read_duration(const Value& value,
                                                Range<std::chrono::milliseconds> range) {
  return measured<std::chrono::milliseconds>(value, range, kDurationForm, parse_duration,
                                             show_duration);
}

Result<std::uint64_t> read_size(const Value& value, Range<std::uint64_t> range) {
  return measured<std::uint64_t>(value, range, kSizeForm, parse_size, show_size);
}

Result<double> read_relative(const Value& value, Range<double> range) {
  return measured<double>(value, range, kRelativeForm, parse_relative, show_number);
}

Result<std::string> read_pattern(const Value& value) {
  std::string text = INSTAR_TRY(read_text(value));
  // A pattern that means less than it seems to would leave files open that it should protect.
  if (auto fault = fault_of_pattern(text)) {
    return value.refuse(ticked(text) + " " + fault->what, std::move(fault->fix));
  }
  return text;
}

Result<std::size_t> read_choice(const Value& value, const std::vector<std::string>& words) {
  const std::string form = "one of: " + join(words, ", ");
  const std::string text = INSTAR_TRY(scalar(value, form));
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = did_you_mean(text, words);
  return value.refuse(ticked(text) + " is not a value of this key",
                      (near.empty() ? "" : "did you mean `" + near + "`? ") + "it is " + form);
}

Key count_limit(std::string name, std::uint64_t& into, Range<std::uint64_t> range) {
  return limit<std::uint64_t>(
      std::move(name), into, [range](const Value& value) { return read_count(value, range); },
      show_count);
}

Key duration_limit(std::string name, std::chrono::milliseconds& into,
                   Range<std::chrono::milliseconds> range) {
  return limit<std::chrono::milliseconds>(
      std::move(name), into, [range](const Value& value) { return read_duration(value, range); },
      show_duration);
}

Key seconds_limit(std::string name, std::chrono::seconds& into, Range<std::chrono::seconds> range) {
  const auto read = [range](const Value& value) -> Result<std::chrono::seconds> {
    const auto exact = INSTAR_TRY(read_duration(value, {range.least, range.most}));
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(exact);
    if (whole != exact) {
      return value.refuse(ticked(value.node().text) + " is not a whole number of seconds",
                          "write whole seconds: 60s");
    }
    return whole;
  };
  return limit<std::chrono::seconds>(std::move(name), into, read,
                                     [](std::chrono::seconds s) { return show_duration(s); });
}

Key size_limit(std::string name, std::uint64_t& into, Range<std::uint64_t> range) {
  return limit<std::uint64_t>(
      std::move(name), into, [range](const Value& value) { return read_size(value, range); },
      show_size);
}

Key only(std::string name, std::string text, std::string why) {
  const auto read = [text, why](const Value& value) -> Result<void> {
    const std::string written = INSTAR_TRY(scalar(value, text));
    if (written == text) return {};
    return value.refuse(ticked(written) + ": " + why, "write " + text + ", or remove the key");
  };
  return {.name = std::move(name), .read = read, .show = [text] { return text; }};
}

Key reserved(std::string name, std::string why) {
  return {.name = std::move(name), .reserved = std::move(why)};
}

}  // namespace instar::engine
