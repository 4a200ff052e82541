#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "base/files.h"
#include "engine/evaluation/cell_evaluator.h"
#include "isolation/cell_provider.h"
#include "tests/support/fake_store.h"

namespace instar::engine::testing_support {

using Files = std::map<std::string, std::string>;

/// Real cells, of which one run does not come about: a fault of ours, not of what it would run.
class FaultyCells final : public isolation::CellProvider {
 public:
  explicit FaultyCells(std::unique_ptr<isolation::CellProvider> cells) : cells_(std::move(cells)) {}
  [[nodiscard]] const std::filesystem::path& scratch() const override { return cells_->scratch(); }
  Result<std::unique_ptr<isolation::Workspace>> open_workspace(
      const isolation::WorkspaceSpec& spec) override {
    return cells_->open_workspace(spec);
  }
  Result<isolation::CellReport> run(const isolation::CellSpec& spec,
                                    isolation::Workspace& workspace,
                                    std::stop_token stop) override {
    if (runs_until_fault != 0 && --runs_until_fault == 0) return fail(ErrorCode::kIo, "no disk");
    return cells_->run(spec, workspace, std::move(stop));
  }

  unsigned runs_until_fault = 0;  ///< 1: the next run; 0: never

 private:
  std::unique_ptr<isolation::CellProvider> cells_;
};

/// A small target, a real guarded cell to run it in, and a tree store in memory.
class EvaluationBench {
 public:
  EvaluationBench() {
    target.name = "bench";
    target.origin = "instar.yaml";
    target.objectives = {{.goal = Objective::Goal::kMinimize,
                          .metric = "tests.failed",
                          .noise = std::nullopt,
                          .until = std::nullopt}};
    // Tests of limits set their own; the others must not depend on a loaded machine.
    policy.cell.wall = std::chrono::seconds(60);
    policy.cell.cpu = std::chrono::seconds(20);
  }

  /// Opens the cells and the evaluator on a base of these files. False, with a failure recorded,
  /// when that cannot be done.
  bool open(const Files& files) {
    auto made = TempDir::create("instar-evaluation");
    if (!made) return failed(made.error());
    scratch_.emplace(std::move(*made));
    // Cells of a dropped user must be able to pass through it.
    std::filesystem::permissions(scratch_->path(), std::filesystem::perms(0711));
    auto cells = isolation::make_cell_provider({.slots = 1, .scratch = scratch_->path()});
    if (!cells) return failed(cells.error());
    cells_ = std::make_unique<FaultyCells>(std::move(*cells));
    base_ = store.add_tree(changes_of(files));
    evaluator_ = make_cell_evaluator(
        {.target = target, .policy = policy, .store = store, .cells = *cells_, .base = base_});
    return true;
  }

  /// Opens and measures the base; a failure is recorded.
  bool measure(const Files& files) {
    if (!open(files)) return false;
    auto measured = evaluator_->baseline({});
    if (!measured) return failed(measured.error());
    baseline = std::move(*measured);
    return true;
  }

  /// The message of the error that measuring such a base gives.
  std::string refusal(const Files& files) {
    if (!open(files)) return "not opened";
    auto measured = evaluator_->baseline({});
    return measured ? "accepted" : measured.error().message + "\nhint: " + measured.error().hint;
  }

  Evaluation evaluate(const Files& changed) { return evaluate_tree(variant(changed)); }

  Evaluation evaluate_tree(const checkpoints::TreeId& tree, bool with_parent = false) {
    return evaluate_beside(tree, with_parent ? std::optional(base_) : std::nullopt);
  }

  /// Measured interleaved with `parent` where a metric is noisy.
  Evaluation evaluate_beside(const checkpoints::TreeId& tree,
                             const std::optional<checkpoints::TreeId>& parent) {
    EvaluationRequest request;
    request.tree = tree;
    request.patch_lines = 2;
    request.patch_files = 1;
    if (parent) {
      request.parent = parent;
      request.parent_evaluation = &baseline.evaluation;
    }
    return evaluator_->evaluate(request, {});
  }

  checkpoints::TreeId variant(const Files& changed) {
    const auto tree = store.with_changes(base_, changes_of(changed));
    return tree ? *tree : base_;
  }

  static std::vector<checkpoints::TreeChange> changes_of(const Files& files) {
    std::vector<checkpoints::TreeChange> changes;
    for (const auto& [path, content] : files) {
      changes.push_back({.path = path, .content = content});
    }
    return changes;
  }

  FaultyCells& cells() { return *cells_; }
  Evaluator& evaluator() { return *evaluator_; }
  [[nodiscard]] const checkpoints::TreeId& base() const { return base_; }

  Target target;
  Policy policy;
  checkpoints::FakeStore store;
  Baseline baseline;

 private:
  static bool failed(const Error& error) {
    ADD_FAILURE() << error.message << " / " << error.hint;
    return false;
  }

  std::optional<TempDir> scratch_;
  std::unique_ptr<FaultyCells> cells_;
  std::unique_ptr<Evaluator> evaluator_;
  checkpoints::TreeId base_;
};

inline Stage stage(std::string name, std::string command, ReportKind report = ReportKind::kExitCode,
                   std::string file = {}) {
  Stage made;
  made.name = std::move(name);
  made.command = std::move(command);
  made.report = report;
  made.report_file = std::move(file);
  made.source = "instar.yaml:5";
  return made;
}

inline Stage pytest_stage(std::chrono::milliseconds per_test = std::chrono::milliseconds(500)) {
  Stage made = stage("py", "/usr/bin/python3 -m pytest -q tests", ReportKind::kPytest);
  made.per_test = per_test;
  return made;
}

}  // namespace instar::engine::testing_support
