#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "checkpoints/repository.h"
#include "checkpoints/run_directory.h"
#include "cli/command.h"
#include "engine/run/history.h"

namespace instar::cli {

/// A run that a command looks at.
struct RunView {
  checkpoints::Repository repository;
  checkpoints::RunDirectory directory;
  engine::RunHistory history;
};

/// The run that is given by name or by an unambiguous beginning of it; the newest for an empty
/// name.
Result<checkpoints::RunDirectory> find_run(const checkpoints::Repository& repository,
                                           const std::string& name);

/// The same with its history. For an empty name, runs that were cut off before their first record
/// are passed over.
Result<RunView> open_run(const Globals& globals, const std::string& name);

/// A variant as commands take it: `[RUN/]VARIANT`, any unique prefix; `champion`, nothing, or a
/// run's whole name alone is the champion.
struct VariantView {
  RunView run;
  engine::HistoryEntry entry;
};
Result<VariantView> open_variant(const Globals& globals, const std::string& spec);

/// An entry as JSON, the same in every command.
nlohmann::json entry_json(const engine::HistoryEntry& entry, const engine::RunHistory& history);

/// "passed  tests.failed 3 -> 0": the verdict ("better" for a checkpoint of which a stage still
/// fails) and the objectives.
std::string headline(const engine::HistoryEntry& entry, const engine::RunHistory& history);

}  // namespace instar::cli
