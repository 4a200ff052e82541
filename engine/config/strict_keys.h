#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/config/policy.h"
#include "engine/config/strict_yaml.h"

namespace instar::engine {

/// Text of a file as an error shows it: escaped, between backticks.
std::string ticked(std::string_view text);

/// What happens to the value that stands already: the operator's file sets it, a target's `safety:`
/// part may only make it stricter.
enum class Mode { kSet, kTighten };

/// What every value of one file is read with.
struct ReadContext {
  std::string name{};  ///< of the file, as errors show it
  Mode mode = Mode::kSet;
  std::string shown_prefix{};  ///< "safety." inside a target's part
  /// Dotted key -> "safety.yaml:12", of the keys that were written; read for the place of the
  /// value that would be loosened, and added to.
  std::map<std::string, std::string>* sources = nullptr;
};

/// One value of a file with all that an error about it needs.
class Value {
 public:
  Value(const YamlNode& node, const ReadContext& context, std::string path)
      : node_(&node), context_(&context), path_(std::move(path)) {}

  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const ReadContext& context() const { return *context_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "safety.yaml:12".
  [[nodiscard]] std::string source() const;
  /// Where the value that stands already came from.
  [[nodiscard]] std::string standing_source() const;

  /// "file:line:column: path: why", with what to do.
  [[nodiscard]] tl::unexpected<Error> refuse(const std::string& why, std::string hint) const;
  /// A value that is less strict than the operator's.
  [[nodiscard]] tl::unexpected<Error> refuse_loosening(const std::string& wanted,
                                                       const std::string& standing) const;

  /// The value of a key of a map, or null when it is not there.
  [[nodiscard]] const YamlNode* child(std::string_view key) const;
  /// The same as a Value; the key must be there.
  [[nodiscard]] Value at(std::string_view key) const;

 private:
  const YamlNode* node_;
  const ReadContext* context_;
  std::string path_;
};

/// One key that a map may hold. One table of these reads a file, says where each value came from,
/// shows the effective values, and is what the JSON schema is compared with.
struct Key {
  std::string name{};  ///< "*": any name that the table does not have
  std::function<Result<void>(const Value&)> read{};
  std::function<std::string()> show{};  ///< the value that holds now, as it would be written
  std::vector<Key> keys{};              ///< of a map, read by them unless `read` does it
  std::vector<Key> item_keys{};         ///< of a list of maps; `read` handles them, this names them
  std::string reserved{};               ///< not empty: refused by name, for this reason
  bool required = false;
};

/// Reads a map by its table. Unknown keys (with the nearest known one), keys of another build and
/// missing required keys are errors.
Result<void> read_map(const Value& map, const std::vector<Key>& keys);

/// The list's items, at most `most`; anything else is an error.
Result<std::vector<Value>> read_list(const Value& list, std::size_t most);

/// Every dotted key of a table, reserved ones left out: "cell.wall", "evaluate[].name".
std::vector<std::string> dotted_keys(const std::vector<Key>& keys, const std::string& prefix = {});

/// Every key that has a value to show, in the order of the table.
std::vector<Effective> effective_values(const std::vector<Key>& keys,
                                        const std::map<std::string, std::string>& sources,
                                        const std::string& prefix = {});

}  // namespace instar::engine
