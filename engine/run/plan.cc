#include "engine/run/plan.h"

#include <algorithm>
#include <thread>
#include <tuple>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "checkpoints/run_directory.h"
#include "engine/edit_window/surface_rules.h"
#include "engine/run/surface_look.h"
#include "engine/run/target_place.h"

namespace instar::engine {

namespace {

/// min(request, cap), and whether it was the cap that decided.
template <class T>
std::pair<T, bool> capped(const std::optional<T>& request, T cap) {
  if (!request || *request > cap) return {cap, true};
  return {*request, false};
}

/// Looks at the base's files as the target's patterns sort them.
Result<void> look_at_base(RunPlan& plan) {
  const auto rules = INSTAR_TRY(SurfaceRules::compile(surface_of(plan.target, plan.policy)));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(plan.repository));
  const auto entries = INSTAR_TRY(store->list(plan.base.tree));
  std::vector<std::string> surface;
  for (const auto& entry : entries) {
    if (rules.permits(entry)) surface.push_back(entry.path);
  }
  if (surface.empty()) return fail(empty_surface(plan.target, plan.base_ref));
  plan.surface_files = surface.size();
  for (auto& warning : surface_warnings(plan.target, surface)) {
    plan.notes.push_back(std::move(warning));
  }
  const auto missed = INSTAR_TRY(missed_by_seals(plan.target.sealed, plan.repository, entries));
  if (!missed.empty()) plan.notes.push_back(say_not_committed(missed));
  return {};
}

}  // namespace

Surface surface_of(const Target& target, const Policy& policy) {
  auto rules = [](const std::vector<Sourced>& patterns, std::vector<Sourced>& out) {
    out.insert(out.end(), patterns.begin(), patterns.end());
  };
  Surface surface;
  rules(target.allow, surface.allow);
  rules(target.deny, surface.deny);
  rules(policy.protect, surface.protect);
  rules(target.sealed, surface.protect);
  return surface;
}

unsigned clip_jobs(unsigned asked, unsigned window, std::vector<std::string>& notes) {
  const unsigned jobs = asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
  if (jobs <= window) return jobs;
  if (asked != 0) {
    notes.push_back("--jobs " + std::to_string(asked) + " is clipped to search.window, " +
                    std::to_string(window) + ": more could not be used");
  }
  return window;
}

RunLimits limits_of(const Target& target, const Policy& policy,
                    const std::optional<std::uint64_t>& variants,
                    const std::optional<std::chrono::milliseconds>& wall) {
  RunLimits limits;
  std::tie(limits.variants, limits.variants_is_cap) = capped(variants, policy.run.variants);
  std::tie(limits.wall, limits.wall_is_cap) =
      capped(wall, std::chrono::milliseconds(policy.run.wall));
  limits.plateau = target.search.plateau;
  limits.breakers = policy.breakers;
  return limits;
}

void note_caps(const Policy& policy, const std::optional<std::uint64_t>& variants,
               const std::optional<std::chrono::milliseconds>& wall,
               std::vector<std::string>& notes) {
  const auto note = [&](const char* option, const char* key, const std::string& cap) {
    notes.push_back(std::string(option) + " is cut to the policy's " + key + ", " + cap +
                    ": a policy with more can be given to a new run (--policy)");
  };
  if (variants && *variants > policy.run.variants) {
    note("--variants", "run.variants", std::to_string(policy.run.variants));
  }
  const std::chrono::milliseconds most(policy.run.wall);
  if (wall && *wall > most) {
    note("--wall", "run.wall",
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(most).count()) + "s");
  }
}

Result<RunPlan> plan_run(const RunRequest& request) {
  auto repository = INSTAR_TRY(checkpoints::Repository::open(request.directory));
  INSTAR_CHECK(check_place(request.directory, repository));
  const auto base =
      INSTAR_TRY(request.base ? repository.resolve(*request.base) : repository.head());
  Policy policy = INSTAR_TRY(load_policy(request.policy));
  Target target = INSTAR_TRY(load_target(request.directory, policy));
  if (request.generator && *request.generator != target.generator.kind) {
    return fail(ErrorCode::kInvalidInput,
                "--generator '" + *request.generator + "' is not a generator of this build",
                "this build has `mutate`");
  }
  RunPlan plan{.repository = std::move(repository),
               .policy = std::move(policy),
               .target = std::move(target),
               .base = base,
               .base_ref = {},
               .required = {},
               .limits = {},
               .seed = 1,
               .jobs = 1,
               .surface_files = 0,
               .notes = {},
               .run_id = request.run_id};
  plan.base_ref = request.base.value_or(plan.repository.branch().value_or("HEAD"));
  plan.required = required_level(plan.policy, false, request.level);
  INSTAR_CHECK(require(plan.required));
  plan.limits = limits_of(plan.target, plan.policy, request.variants, request.wall);
  note_caps(plan.policy, request.variants, request.wall, plan.notes);
  plan.seed = request.seed.value_or(plan.target.search.seed);
  plan.jobs = clip_jobs(request.jobs, plan.target.search.window, plan.notes);
  if (plan.run_id) INSTAR_TRY(checkpoints::RunId::parse(*plan.run_id));
  INSTAR_CHECK(look_at_base(plan));
  // instar.yaml counts as it stands, so that it is new or changed is no news.
  if (INSTAR_TRY(plan.repository.uncommitted("instar.yaml")).any()) {
    plan.notes.push_back("uncommitted changes are not part of the base, which is commit " +
                         plan.base.commit.hex().substr(0, 12) + " (" + plan.base_ref +
                         "); instar.yaml is read as it stands");
  }
  return plan;
}

}  // namespace instar::engine
