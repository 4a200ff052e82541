#include "cli/commands.h"

#include <array>

#include "cmd_cell_md.h"
#include "cmd_check_md.h"
#include "cmd_diff_md.h"
#include "cmd_doctor_md.h"
#include "cmd_evolve_md.h"
#include "cmd_init_md.h"
#include "cmd_lineage_md.h"
#include "cmd_log_md.h"
#include "cmd_resume_md.h"
#include "cmd_rollback_md.h"
#include "cmd_show_md.h"
#include "cmd_status_md.h"
#include "cmd_verify_md.h"
#include "cmd_version_md.h"

namespace instar::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"evolve", "evolve the program of a repository: the main job", embedded::cmd_evolve,
              declare_evolve},
      Command{"resume", "go on with a run that was stopped or cut off", embedded::cmd_resume,
              declare_resume},
      Command{"status", "where a run stands", embedded::cmd_status, declare_status},
      Command{"log", "the checkpoints of a run, as a graph", embedded::cmd_log, declare_log},
      Command{"show", "one variant: origin, verdict, metrics", embedded::cmd_show, declare_show},
      Command{"diff", "what a variant changes", embedded::cmd_diff, declare_diff},
      Command{"lineage", "how a variant came to be", embedded::cmd_lineage, declare_lineage},
      Command{"rollback", "move a run's champion to an earlier checkpoint", embedded::cmd_rollback,
              declare_rollback},
      Command{"verify", "check a run against its ledger", embedded::cmd_verify, declare_verify},
      Command{"cell", "run any command in an isolated cell", embedded::cmd_cell, declare_cell,
              ExitCode::kNoCell},
      Command{"doctor", "try what this host can enforce", embedded::cmd_doctor, declare_doctor},
      Command{"init", "write an instar.yaml for the program here", embedded::cmd_init,
              declare_init},
      Command{"check", "validate policy and target, show what holds", embedded::cmd_check,
              declare_check},
      Command{"version", "print the version and what it is made of", embedded::cmd_version,
              declare_version},
  };
  return kCommands;
}

}  // namespace instar::cli
