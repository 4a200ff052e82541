#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/glob.h"
#include "engine/edit_window/refusal.h"
#include "engine/edit_window/surface.h"

namespace instar::engine {

/// A Surface with its patterns compiled, each for its use (glob.h): an alias can only lose rights.
class SurfaceRules {
 public:
  /// kInvalidInput, naming the pattern and its file:line, when one cannot be obeyed.
  static Result<SurfaceRules> compile(const Surface& surface);

  /// Whether a variant may change `path`: allowed, not denied, not protected. Nothing is allowed by
  /// default. `path` must have passed check_path.
  [[nodiscard]] OrRefusal<void> check(std::string_view path) const;

  /// Whether a variant may change a file of this name, which may be any bytes.
  [[nodiscard]] bool permits(std::string_view path) const;
  /// Whether a variant may change this entry of a tree: links and gitlinks never.
  [[nodiscard]] bool permits(const checkpoints::TreeEntry& entry) const;

 private:
  struct Rule {
    Glob glob;
    Sourced written;
    std::string reason;
  };
  static Result<void> add(std::vector<Rule>& to, const std::vector<Sourced>& patterns,
                          Glob::Use use, const std::string& reason);
  [[nodiscard]] OrRefusal<void> refused_by(const Rule& rule, std::string_view path,
                                           std::string name) const;

  std::vector<Rule> allow_;
  std::vector<Rule> deny_;
  std::vector<Rule> protect_;
  std::string in_words_;  ///< "src/** (instar.yaml:4)"
};

}  // namespace instar::engine
