#include "engine/run/target_place.h"

#include <algorithm>

#include "base/text.h"
#include "isolation/landlock.h"

namespace instar::engine {

namespace fs = std::filesystem;

namespace {

bool lies_in(const fs::path& path, const fs::path& directory) {
  const auto [end, unused] =
      std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end();
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  const fs::path clean = fs::weakly_canonical(path, error);
  return error ? path : clean;
}

Result<void> check_top(const fs::path& directory, const fs::path& top) {
  std::error_code error;
  if (fs::equivalent(directory, top, error)) return {};
  const std::string shown = escape_for_terminal(top.string());
  const std::string inner =
      escape_for_terminal(without_links(directory).lexically_relative(without_links(top)).string());
  return fail(ErrorCode::kInvalidInput,
              "'" + escape_for_terminal(directory.string()) +
                  "' is not the top of its repository, which is '" + shown + "'",
              "patterns match from the top: keep instar.yaml there, with patterns such as \"" +
                  inner + "/**\", and run instar with -C " +
                  escape_for_terminal(shell_quoted(top.string())));
}

}  // namespace

Result<void> out_of_sight(const fs::path& path) {
  const fs::path clean = without_links(path);
  for (const std::string& visible : isolation::visible_host_directories()) {
    if (!lies_in(clean, without_links(visible))) continue;
    // A cell there could read the history, the ledger and the sealed files it is judged by.
    return fail(ErrorCode::kRefused,
                "'" + escape_for_terminal(clean.string()) + "' lies in " + visible +
                    ", which every cell can read",
                "work on a clone elsewhere, such as in your home directory");
  }
  return {};
}

Result<void> check_place(const fs::path& directory, const checkpoints::Repository& repository) {
  INSTAR_CHECK(check_top(directory, repository.work_tree()));
  INSTAR_CHECK(out_of_sight(repository.work_tree()));
  return out_of_sight(repository.common_dir());
}

}  // namespace instar::engine
