#include "engine/edit_window/base_names.h"

#include "engine/edit_window/path_alias.h"

namespace instar::engine {

namespace {

/// Calls `use` with the path and every directory above it.
template <class Use>
void for_each_prefix(std::string_view path, Use use) {
  for (auto slash = path.find('/');; slash = path.find('/', slash + 1)) {
    use(path.substr(0, slash));
    if (slash == std::string_view::npos) return;
  }
}

/// Names that are no UTF-8 stand for themselves: path rules keep variants away from them.
std::string key(std::string_view path) { return folded(path).value_or(std::string(path)); }

}  // namespace

Result<const BaseNames::Spellings*> BaseNames::base_spellings() {
  const std::lock_guard lock(mutex_);
  if (!spellings_) {
    auto spellings = std::make_unique<Spellings>();
    for (const auto& entry : INSTAR_TRY(store_.list(base_))) {
      for_each_prefix(entry.path,
                      [&](std::string_view prefix) { (*spellings)[key(prefix)].emplace(prefix); });
    }
    spellings_ = std::move(spellings);
  }
  return spellings_.get();
}

Step<void> BaseNames::check(std::span<const checkpoints::TreeDelta> deltas) {
  Spellings added;
  for (const auto& delta : deltas) {
    if (delta.before) continue;
    const Spellings& base = *INSTAR_STEP(base_spellings());
    std::string other;
    for_each_prefix(delta.path(), [&](std::string_view prefix) {
      const std::string spelling(prefix);
      const auto known = base.find(key(prefix));
      const auto& spellings = known != base.end() ? known->second : added[key(prefix)];
      if (spellings.empty()) {
        added[key(prefix)].insert(spelling);
      } else if (!spellings.contains(spelling)) {
        other = *spellings.begin();
      }
    });
    if (other.empty()) continue;
    return refuse(delta.path(), "path.alias",
                  "it is another spelling of " + show_text(other) +
                      ", and both would be one file where case or Unicode form does not count",
                  "the existing spelling, or a name that differs in more");
  }
  return {};
}

}  // namespace instar::engine
