#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/generators/factory.h"
#include "tests/support/fake_store.h"

namespace instar::engine::testing_support {

using checkpoints::FakeStore;
using checkpoints::TreeId;

using Files = std::map<std::string, std::string>;

/// A target in memory and its generator.
struct World {
  FakeStore store;
  Files files;
  TreeId base;
  std::unique_ptr<Generator> generator;
  Evaluation base_evaluation;

  explicit World(
      std::map<std::string, std::string> given, std::uint64_t seed = 1,
      std::function<bool(const std::string&)> may_change = [](const std::string&) { return true; })
      : files(std::move(given)) {
    std::vector<checkpoints::TreeChange> changes;
    for (const auto& [path, text] : files) changes.push_back({path, text});
    base = store.add_tree(changes);
    generator = make_generator({}, store, std::move(may_change), seed);
  }
  [[nodiscard]] Parent base_parent() const { return {"base", base, &base_evaluation}; }
  std::optional<Proposal> next(std::vector<Parent> before = {}) {
    before.push_back(base_parent());
    auto made = generator->next({std::move(before)}, RandomStream(1, "test", 0));
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : std::nullopt;
  }
  std::vector<Proposal> all(std::size_t most = 100000) {
    std::vector<Proposal> proposals;
    while (proposals.size() < most) {
      auto one = next();
      if (!one) break;
      proposals.push_back(std::move(*one));
    }
    return proposals;
  }
  /// The edited file; fails the test when the edit does not apply exactly.
  [[nodiscard]] std::string apply(const Proposal& proposal) const {
    const auto& edit = std::get<SyntaxEdit>(proposal.edits.at(0));
    std::string text = files.at(edit.path);
    EXPECT_LE(edit.begin, edit.end);
    EXPECT_LE(edit.end, text.size());
    EXPECT_EQ(text.substr(edit.begin, edit.end - edit.begin), edit.expected);
    return text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
};

}  // namespace instar::engine::testing_support
