#include "engine/config/strict_keys.h"

#include <algorithm>

#include "base/text.h"

namespace instar::engine {

namespace {

std::string kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "the single value " + ticked(node.text);
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      break;
  }
  return "a map";
}

std::vector<std::string> usable_names(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    if (key.reserved.empty()) names.push_back(key.name == "*" ? "NAME: value" : key.name);
  }
  return names;
}

std::string dotted(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

/// `network: bridged`; a longer value is left out, since it might be a secret at the wrong place.
std::string as_written(const std::string& key, const YamlNode& value) {
  const std::string& text = value.text;
  const bool word =
      !text.empty() && text.size() <= 12 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return ticked(word ? key + ": " + text : key);
}

tl::unexpected<Error> refuse_unknown(const Value& at, const std::string& where,
                                     const std::vector<Key>& keys) {
  const auto names = usable_names(keys);
  const std::string typed = at.path().substr(where.empty() ? 0 : where.size() + 1);
  const std::string near = did_you_mean(typed, names);
  return at.refuse(
      "there is no such key" + (where.empty() ? "" : " in `" + where + "`"),
      (near.empty() ? "" : "did you mean `" + near + "`? ") + "known here: " + join(names, ", "));
}

}  // namespace

std::string ticked(std::string_view text) { return "`" + escape_for_terminal(text) + "`"; }

std::string Value::source() const { return context_->name + ":" + std::to_string(node_->at.line); }

std::string Value::standing_source() const {
  const auto found = context_->sources->find(path_);
  return found == context_->sources->end() ? "built-in" : found->second;
}

tl::unexpected<Error> Value::refuse(const std::string& why, std::string hint) const {
  const std::string shown = escape_for_terminal(context_->shown_prefix + path_);
  return fail(ErrorCode::kInvalidInput,
              place(context_->name, node_->at) + ": " + (shown.empty() ? "" : shown + ": ") + why,
              std::move(hint));
}

tl::unexpected<Error> Value::refuse_loosening(const std::string& wanted,
                                              const std::string& standing) const {
  return refuse(
      ticked(wanted) + " is looser than " + ticked(standing) + " of " + standing_source() +
          ", and a target may only tighten the policy",
      "remove the key, or have the operator change the policy (" + standing_source() + ")");
}

const YamlNode* Value::child(std::string_view key) const {
  const auto& keys = node_->keys;
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const YamlKey& candidate) { return candidate.name == key; });
  return found == keys.end() ? nullptr
                             : &node_->items[static_cast<std::size_t>(found - keys.begin())];
}

Value Value::at(std::string_view key) const {
  return {*child(key), *context_, dotted(path_, std::string(key))};
}

Result<void> read_map(const Value& map, const std::vector<Key>& keys) {
  const YamlNode& node = map.node();
  if (node.kind != YamlNode::Kind::kMap) {
    return map.refuse("needs a map of keys, not " + kind_name(node),
                      "known here: " + join(usable_names(keys), ", "));
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].name;
    const std::string path = dotted(map.path(), name);
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const Key& k) { return k.name == name || k.name == "*"; });
    // Errors about the key itself stand at the key.
    const YamlNode key_node{.kind = YamlNode::Kind::kScalar, .at = node.keys[i].at, .text = name};
    const Value at_key(key_node, map.context(), path);
    if (key == keys.end()) return refuse_unknown(at_key, map.path(), keys);
    if (!key->reserved.empty()) {
      return at_key.refuse(as_written(name, node.items[i]) + " is reserved: " + key->reserved,
                           "remove `" + name + "`");
    }
    const Value value(node.items[i], map.context(), path);
    INSTAR_CHECK(key->read ? key->read(value) : read_map(value, key->keys));
    (*map.context().sources)[path] = at_key.source();
  }
  for (const Key& key : keys) {
    if (!key.required || map.child(key.name) != nullptr) continue;
    return map.refuse("the key `" + key.name + "` is missing", "add `" + key.name + ": …` here");
  }
  return {};
}

Result<std::vector<Value>> read_list(const Value& list, std::size_t most) {
  const YamlNode& node = list.node();
  if (node.kind != YamlNode::Kind::kSequence) {
    return list.refuse("needs a list, not " + kind_name(node),
                       "write it as [a, b], or one `- ` a line");
  }
  if (node.items.size() > most) {
    return list.refuse("has " + std::to_string(node.items.size()) + " entries, at most " +
                           std::to_string(most) + " are taken",
                       "use patterns such as `src/**` instead of long lists");
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    items.emplace_back(node.items[i], list.context(), list.path() + "[" + std::to_string(i) + "]");
  }
  return items;
}

std::vector<std::string> dotted_keys(const std::vector<Key>& keys, const std::string& prefix) {
  std::vector<std::string> all;
  const auto add = [&](std::vector<std::string> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  for (const Key& key : keys) {
    if (!key.reserved.empty()) continue;
    const std::string path = dotted(prefix, key.name);
    all.push_back(path);
    add(dotted_keys(key.keys, path));
    add(dotted_keys(key.item_keys, path + "[]"));
  }
  return all;
}

std::vector<Effective> effective_values(const std::vector<Key>& keys,
                                        const std::map<std::string, std::string>& sources,
                                        const std::string& prefix) {
  std::vector<Effective> all;
  for (const Key& key : keys) {
    if (!key.reserved.empty()) continue;
    const std::string path = dotted(prefix, key.name);
    const auto source = sources.find(path);
    if (key.show) {
      all.push_back({path, key.show(), source == sources.end() ? "built-in" : source->second});
    }
    auto nested = effective_values(key.keys, sources, path);
    all.insert(all.end(), nested.begin(), nested.end());
  }
  return all;
}

}  // namespace instar::engine
