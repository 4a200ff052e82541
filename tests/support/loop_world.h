#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/run/loop.h"
#include "tests/support/fake_store.h"
#include "tests/support/loop_fakes.h"

namespace instar::engine::testing {

using checkpoints::FakeStore;

/// One whole run of the number search, on fakes: no process, no disk.
struct World {
  explicit World(long start = 0, long goal = 200)
      : base(store.add_tree(
            {{.path = "src/n", .content = std::to_string(start) + "\n", .mode = {}}})),
        base_commit(store.add_commit(base)),
        evaluator(store, goal),
        generator(store) {}

  Result<RunResult> run() {
    Surface surface;
    surface.allow = {{.value = "src/**", .source = "instar.yaml:2"}};
    EditWindow window(surface, store, base);
    baseline.evaluation = evaluator.show(base, 0);
    config.identity = {"r1", base_commit, "00", "guarded"};
    config.base_tree = base;
    config.objectives = {{.goal = {}, .metric = "tests.failed", .noise = {}, .until = 0}};
    Loop loop(config,
              {.proposing = {.generator = generator,
                             .window = window,
                             .store = store,
                             .journal = journal,
                             .render_patch = [](const auto&, const auto&) -> Result<std::string> {
                               return std::string("patch");
                             }},
               .evaluator = evaluator,
               .clock = clock,
               .observer = told != nullptr ? *told : observer},
              baseline, {.drain = drain.get_token(), .kill = kill.get_token()});
    return loop.run();
  }

  FakeStore store;
  checkpoints::TreeId base;
  checkpoints::CommitId base_commit;
  NumberEvaluator evaluator;
  NumberGenerator generator;
  MemoryJournal journal;
  SystemClock clock;
  RunObserver observer;
  RunObserver* told = nullptr;  ///< instead of one that does nothing
  Baseline baseline;
  LoopConfig config;
  std::stop_source drain;
  std::stop_source kill;
};

/// Makes `next` find what `before` recorded, as a resumed run does.
inline void go_on_from(World& next, const World& before, bool ended) {
  next.journal.earlier = before.journal.earlier;
  next.journal.earlier.insert(next.journal.earlier.end(), before.journal.entries.begin(),
                              before.journal.entries.end());
  next.config.results_on_record = static_cast<std::uint64_t>(
      std::count_if(next.journal.earlier.begin(), next.journal.earlier.end(),
                    [](const MemoryJournal::Entry& entry) { return entry.type == "judged"; }));
  next.config.record_ended = ended;
}

/// All records of a run after its last stretch.
inline std::vector<MemoryJournal::Entry> all_records(const World& world) {
  std::vector<MemoryJournal::Entry> all = world.journal.earlier;
  all.insert(all.end(), world.journal.entries.begin(), world.journal.entries.end());
  return all;
}

}  // namespace instar::engine::testing
