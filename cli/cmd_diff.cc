#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoints/git_store.h"
#include "checkpoints/patch.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/patch_view.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

struct Options {
  std::string a;
  std::string b;
};

struct Side {
  std::string name;
  checkpoints::TreeId tree;
};

Result<Side> base_of(const RunView& run) {
  const auto tree = checkpoints::TreeId::parse(run.history.base_tree);
  if (!tree) {
    return fail(ErrorCode::kIntegrity,
                "the record of run " + run.history.run + " names no base tree",
                "`instar verify " + run.history.run + "` checks the whole run");
  }
  return Side{"base", *tree};
}

Result<Side> tree_of(const VariantView& view) {
  const engine::HistoryEntry& entry = view.entry;
  const auto tree = checkpoints::TreeId::parse(entry.tree);
  if (entry.state != "accepted" || !tree) {
    return fail(ErrorCode::kNotFound,
                "variant " + entry.id + " was not accepted, so its tree was not kept",
                "`instar show " + view.run.history.run + "/" + entry.id +
                    " --source` prints its patch against its parent");
  }
  return Side{entry.id, *tree};
}

struct Sides {
  RunView run;  ///< whose base `base` is
  Side from;
  Side to;
};

/// The variants that are named; `base` is the base of the run that the other one belongs to.
Result<Sides> sides_of(const Options& options, const Globals& globals) {
  const std::string from = options.b.empty() ? "base" : options.a;
  const std::string to = options.b.empty() ? options.a : options.b;
  if (from == "base" && to == "base") {
    return fail(ErrorCode::kInvalidInput, "there is nothing to compare `base` with",
                "name a variant too: `instar diff base VARIANT`; `instar log` lists them");
  }
  if (to == "base") {
    VariantView start = INSTAR_TRY(open_variant(globals, from));
    Side tree = INSTAR_TRY(tree_of(start));
    Side base = INSTAR_TRY(base_of(start.run));
    return Sides{std::move(start.run), std::move(tree), std::move(base)};
  }
  VariantView end = INSTAR_TRY(open_variant(globals, to));
  Side tree = INSTAR_TRY(tree_of(end));
  Side start = INSTAR_TRY(from == "base" ? base_of(end.run)
                                         : tree_of(INSTAR_TRY(open_variant(globals, from))));
  return Sides{std::move(end.run), std::move(start), std::move(tree)};
}

Result<ExitCode> diff(const Options& options, const Globals& globals) {
  const auto [run, from, to] = INSTAR_TRY(sides_of(options, globals));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(run.repository));
  const std::string patch = INSTAR_TRY(checkpoints::make_patch(*store, from.tree, to.tree));
  if (globals.json) {
    print_json({{"run", run.history.run}, {"from", from.name}, {"to", to.name}, {"patch", patch}});
  } else {
    print_patch(patch, globals.color);
  }
  return ExitCode::kDone;
}

}  // namespace

Action declare_diff(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("A", options->a);
  app.add_option("B", options->b);
  return [options, &globals] { return diff(*options, globals); };
}

}  // namespace instar::cli
