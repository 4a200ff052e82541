#include "engine/edit_window/surface_rules.h"

#include "engine/edit_window/protected_paths.h"

namespace instar::engine {

namespace {

std::string describe(const std::vector<PathRule>& rules) {
  constexpr std::size_t kMostShown = 8;  // a refusal is read by a person or fits in a prompt
  std::string out;
  for (std::size_t i = 0; i < rules.size() && i < kMostShown; ++i) {
    if (i > 0) out += ", ";
    out += rules[i].pattern + " (" + rules[i].source + ")";
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

Result<Glob> compile_rule(const PathRule& rule, Glob::Names names, Glob::Anchor anchor,
                          Glob::Covers covers) {
  auto glob = Glob::compile(rule.pattern, names, anchor, covers);
  if (!glob) return fail(glob.error().while_doing(rule.source));
  return glob;
}

}  // namespace

Result<SurfaceRules> SurfaceRules::compile(const Surface& surface) {
  using enum Glob::Names;
  using enum Glob::Anchor;
  using enum Glob::Covers;
  SurfaceRules rules;
  rules.in_words_ = surface_in_words(surface);
  for (const PathRule& rule : surface.allow) {
    rules.allow_.push_back(
        {INSTAR_TRY(compile_rule(rule, kExact, kRoot, kPath)), rule, std::string()});
  }
  for (const PathRule& rule : surface.deny) {
    rules.deny_.push_back({INSTAR_TRY(compile_rule(rule, kFolded, kRoot, kPathAndBelow)), rule,
                           "the surface denies it"});
  }
  for (const ProtectedPath& path : built_in_protected_paths()) {
    const PathRule rule{.pattern = std::string(path.pattern), .source = "built-in"};
    rules.protect_.push_back({INSTAR_TRY(compile_rule(rule, kFolded, kNameAnywhere, kPathAndBelow)),
                              rule, std::string(path.reason)});
  }
  for (const PathRule& rule : surface.protect) {
    rules.protect_.push_back({INSTAR_TRY(compile_rule(rule, kFolded, kNameAnywhere, kPathAndBelow)),
                              rule, "it is protected, sealed or hidden by configuration"});
  }
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

OrRefusal<void> SurfaceRules::refused_by(const Rule& rule, std::string_view path,
                                         std::string name) const {
  auto refusal =
      refuse(path, std::move(name),
             "`" + rule.written.pattern + "` covers this path: " + rule.reason, in_words_);
  refusal.value().rule_source = rule.written.source;
  return refusal;
}

}  // namespace instar::engine
