#include "engine/edit_window/surface_rules.h"

#include "engine/edit_window/path_rules.h"
#include "engine/edit_window/protected_paths.h"

namespace instar::engine {

namespace {

std::string describe(const std::vector<Sourced>& rules) {
  constexpr std::size_t kMostShown = 8;  // a refusal is read by a person or fits in a prompt
  std::string out;
  for (std::size_t i = 0; i < rules.size() && i < kMostShown; ++i) {
    if (i > 0) out += ", ";
    out += rules[i].value + " (" + rules[i].source + ")";
  }
  if (rules.size() > kMostShown)
    out += ", and " + std::to_string(rules.size() - kMostShown) + " more";
  return out;
}

std::string surface_in_words(const Surface& surface) {
  if (surface.allow.empty()) return "nothing: the surface allows no path";
  std::string out = describe(surface.allow);
  if (!surface.deny.empty()) out += ", but not " + describe(surface.deny);
  return out;
}

}  // namespace

Result<void> SurfaceRules::add(std::vector<Rule>& to, const std::vector<Sourced>& patterns,
                               Glob::Use use, const std::string& reason) {
  std::vector<Glob> globs = INSTAR_TRY(compile_globs(patterns, use));
  for (std::size_t i = 0; i < globs.size(); ++i) {
    to.push_back({std::move(globs[i]), patterns[i], reason});
  }
  return {};
}

Result<SurfaceRules> SurfaceRules::compile(const Surface& surface) {
  SurfaceRules rules;
  rules.in_words_ = surface_in_words(surface);
  INSTAR_CHECK(add(rules.allow_, surface.allow, Glob::Use::kPermit, ""));
  INSTAR_CHECK(add(rules.deny_, surface.deny, Glob::Use::kDeny, "the surface denies it"));
  for (const ProtectedPath& path : built_in_protected_paths()) {
    INSTAR_CHECK(add(rules.protect_, {{std::string(path.pattern), "built-in"}}, Glob::Use::kProtect,
                     std::string(path.reason)));
  }
  INSTAR_CHECK(add(rules.protect_, surface.protect, Glob::Use::kProtect,
                   "it is protected or sealed by configuration"));
  return rules;
}

OrRefusal<void> SurfaceRules::check(std::string_view path) const {
  const PathForms forms(path);
  for (const Rule& rule : protect_) {
    if (rule.glob.matches(forms)) return refused_by(rule, path, "protected");
  }
  for (const Rule& rule : deny_) {
    if (rule.glob.matches(forms)) return refused_by(rule, path, "surface");
  }
  for (const Rule& rule : allow_) {
    if (rule.glob.matches(forms)) return {};
  }
  return refuse(path, "surface", "no rule of the surface allows this path", in_words_);
}

bool SurfaceRules::permits(std::string_view path) const {
  return check_path(path).has_value() && check(path).has_value();
}

bool SurfaceRules::permits(const checkpoints::TreeEntry& entry) const {
  const bool file = entry.mode == checkpoints::FileMode::kRegular ||
                    entry.mode == checkpoints::FileMode::kExecutable;
  return file && permits(entry.path);
}

OrRefusal<void> SurfaceRules::refused_by(const Rule& rule, std::string_view path,
                                         std::string name) const {
  auto refusal = refuse(path, std::move(name),
                        "`" + rule.written.value + "` covers this path: " + rule.reason, in_words_);
  refusal.value().rule_source = rule.written.source;
  return refusal;
}

}  // namespace instar::engine
