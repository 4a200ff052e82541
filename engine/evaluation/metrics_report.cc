#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/evaluation/report_bounds.h"

namespace instar::engine {

namespace {

constexpr std::size_t kMaxMetricNameBytes = 128;

bool plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxMetricNameBytes &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == ':' || c == '/';
         });
}

/// Takes the events of the JSON parser as they come, so that a duplicate key is seen (a document
/// tree keeps only the last) and nothing deep or large is ever built.
class MetricsReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return stop("null is not a number"); }
  bool boolean(bool /*value*/) override { return stop("a boolean is not a number"); }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string& /*text*/) override { return number(value); }
  bool string(std::string& /*value*/) override { return stop("a text is not a number"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return stop("not a number"); }
  bool start_array(std::size_t /*size*/) override { return stop("a list is not a number"); }
  bool end_array() override { return true; }

  bool start_object(std::size_t /*size*/) override {
    if (depth_ == 2) return stop("its objects nest deeper than one level");
    if (depth_ == 1) group_ = key_ + ".";
    ++depth_;
    return true;
  }

  bool end_object() override {
    --depth_;
    if (depth_ == 1) group_.clear();
    return true;
  }

  bool key(std::string& name) override {
    if (!plain_name(name)) {
      return stop("the name '" + escape_for_terminal(name.substr(0, kMaxMetricNameBytes)) +
                  "' is not made of letters, digits and _.-:/ (at most " +
                  std::to_string(kMaxMetricNameBytes) + ")");
    }
    key_ = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    // 406 is the library's number for a literal too large for a double.
    if (error.id == 406) return stop("a number is too large");
    return stop("it is not valid JSON (byte " + std::to_string(position) + ")");
  }

  Metrics metrics;
  std::string fault;

 private:
  bool number(double value) {
    if (depth_ == 0) return stop("it is not a JSON object");
    if (!std::isfinite(value) || std::fabs(value) > kMaxReportNumber) {
      return stop("the value of " + group_ + key_ + " is too large");
    }
    if (metrics.size() == kMaxReportMetrics) {
      return stop("it has more than " + std::to_string(kMaxReportMetrics) + " metrics");
    }
    if (!metrics.emplace(group_ + key_, value).second) {
      return stop("the metric " + group_ + key_ + " stands in it twice");
    }
    return true;
  }

  bool stop(std::string why) {
    if (fault.empty()) fault = std::move(why);
    return false;
  }

  int depth_ = 0;
  std::string key_;
  std::string group_;
};

}  // namespace

Result<Metrics> parse_metrics(std::string_view text) {
  INSTAR_CHECK(check_report_size(text));
  MetricsReader reader;
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  if (!reader.fault.empty()) return bad_report(reader.fault);
  if (!parsed) return bad_report("it is not valid JSON");
  if (reader.metrics.empty()) return bad_report("it has no metric");
  return std::move(reader.metrics);
}

}  // namespace instar::engine
