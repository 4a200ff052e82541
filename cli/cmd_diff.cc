#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

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
                "`instar show " + entry.id + " --source` prints its patch against its parent");
  }
  return Side{entry.id, *tree};
}

Result<ExitCode> diff(const Options& options, const Globals& globals) {
  const bool two = !options.b.empty();
  const VariantView end = INSTAR_TRY(open_variant(globals, two ? options.b : options.a));
  const Side to = INSTAR_TRY(tree_of(end));
  const bool from_base = !two || options.a == "base";
  const Side from = INSTAR_TRY(from_base ? base_of(end.run)
                                         : tree_of(INSTAR_TRY(open_variant(globals, options.a))));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(end.run.repository));
  const std::string patch = INSTAR_TRY(checkpoints::make_patch(*store, from.tree, to.tree));
  if (globals.json) {
    print_json(
        {{"run", end.run.history.run}, {"from", from.name}, {"to", to.name}, {"patch", patch}});
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
