#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "tests/support/process.h"

namespace instar::testing {

/// A small program with one fault (`>` for `>=`) and its tests: a Python function, tests that print
/// TAP, seconds of search. Each file can be replaced.
std::map<std::string, std::string> small_program();

/// The same with a test that no edit satisfies, so that only a limit or a signal ends a run.
std::map<std::string, std::string> unsolvable_program();

/// A git repository in a temporary directory, removed at the end; HOME is an empty directory beside
/// it.
class TargetRepo {
 public:
  explicit TargetRepo(const std::map<std::string, std::string>& files = small_program(),
                      const std::string& directory_name = "target");

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& file, const std::string& content) const;
  /// Plain git, with an empty configuration.
  ProgramResult git(std::vector<std::string> words) const;
  void commit_all(const std::string& message) const;
  /// The program under test, in this repository: `repo.instar({"evolve", "--json"})`.
  ProgramResult instar(std::vector<std::string> words, ProgramOptions options = {}) const;
  /// The same, under way.
  Program start(std::vector<std::string> words, ProgramOptions options = {}) const;
  /// Hands everything to this user.
  void give_to(unsigned uid) const;

  /// A digest of all that belongs to the user: every file with mode and time, index, HEAD,
  /// branches, tags, stash, config, hooks. Only refs/instar, instar/ and objects may differ.
  [[nodiscard]] std::string users_state() const;

 private:
  TempDir directory_;
  std::filesystem::path path_;
};

}  // namespace instar::testing
