#include "engine/run/intact.h"

#include "checkpoints/git_store.h"
#include "checkpoints/verify.h"

namespace instar::engine {

Result<void> require_intact(const checkpoints::Repository& repository,
                            const checkpoints::RunDirectory& run) {
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  const auto report = INSTAR_TRY(checkpoints::verify_run(*store, run));
  for (const auto& finding : report.findings) {
    if (finding.severity != checkpoints::Severity::kBreak) continue;
    return fail(ErrorCode::kIntegrity,
                "run " + run.run().str() + " is not as its engine left it: " + finding.text,
                "`instar verify " + run.run().str() + "` tells all that changed");
  }
  return {};
}

}  // namespace instar::engine
