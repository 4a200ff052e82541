#pragma once

#include <string>
#include <vector>

#include "isolation/cell_exec.h"
#include "isolation/landlock.h"
#include "isolation/launcher_protocol.h"

namespace instar::isolation {

struct LauncherState;

/// A place of one cell alone, as the process that starts the command sees it.
struct OwnPlace {
  std::string path;
  FileAccess access;
};

/// A step before the start that failed.
struct PlanFailure {
  SetupStage stage;
  int error;
};

/// All that a command is started with, made ahead: between clone and exec there is no memory to be
/// had. Borrows the state and the request.
class CommandPlan {
 public:
  /// `places`: the workspace first, which the command starts in.
  static tl::expected<CommandPlan, PlanFailure> make(const LauncherState& state,
                                                     const CellRequest& request,
                                                     const std::vector<OwnPlace>& places);
  [[nodiscard]] Spawned spawn() const;

 private:
  CommandPlan(const LauncherState& state, const CellRequest& request);
  const LauncherState* state_;
  const CellRequest* request_;
  std::vector<VisiblePlace> places_;
  Fd ruleset_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
  std::vector<std::string> candidates_;
  std::vector<LimitEntry> limits_;
};

}  // namespace instar::isolation
