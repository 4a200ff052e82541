#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "checkpoints/repository.h"
#include "cli/command.h"
#include "engine/run/history.h"

namespace instar::cli {

/// A run that a command looks at.
struct RunView {
  checkpoints::Repository repository;
  std::filesystem::path directory;
  engine::RunHistory history;
};

/// The names of the runs of a repository, the newest first.
Result<std::vector<std::string>> run_names(const std::filesystem::path& common_dir);

/// The full name of a run that is given by name or by an unambiguous beginning of it; the newest
/// for an empty name.
Result<std::string> find_run(const std::filesystem::path& common_dir, const std::string& name);

/// The run by name or by an unambiguous beginning of it; the newest one for an empty name.
Result<RunView> open_run(const Globals& globals, const std::string& name);

/// A variant as commands take it: `[RUN/]VARIANT`, any unique prefix; `champion` or nothing is the
/// champion.
struct VariantView {
  RunView run;
  engine::HistoryEntry entry;
};
Result<VariantView> open_variant(const Globals& globals, const std::string& spec);

/// An entry as JSON, the same in every command.
nlohmann::json entry_json(const engine::HistoryEntry& entry, const engine::RunHistory& history);

/// "passed  tests.failed 0  patch.lines 2": the verdict and the metrics that a reader looks at
/// first.
std::string headline(const engine::HistoryEntry& entry);

}  // namespace instar::cli
