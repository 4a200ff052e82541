#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "checkpoints/anchor.h"
#include "checkpoints/ledger.h"
#include "checkpoints/message.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/ref_target.h"
#include "engine/run/history.h"
#include "engine/run/rollback.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_repository.h"

namespace instar::engine {
namespace {

using checkpoints::CommitId;
using checkpoints::Ledger;
using checkpoints::RunDirectory;
using nlohmann::json;

/// A run with three champions in a row, `a`, `b` and `c`, each a child of the one before.
class RollbackTest : public testing::Test {
 protected:
  RollbackTest() {
    Ledger ledger = open_ledger();
    append(ledger, "run_started",
           {{"base_commit", base_.commit.hex()},
            {"base_tree", base_.tree.hex()},
            {"base_ref", "main"},
            {"policy_sha256", sha256(kPinned.policy).hex()},
            {"target_sha256", sha256(kPinned.target).hex()},
            {"target", "x"},
            {"level", "guarded"},
            {"generator", "mutate"},
            {"seed", 1}});
    std::string parent = "base";
    for (const char* id : {"aaaa", "bbbb", "cccc"}) parent = accept(ledger, id, parent);
    append(ledger, "run_ended", {{"ended", "variants"}});
    EXPECT_TRUE(checkpoints::write_anchor(*store_, "r1", ledger.last()));
  }

  Ledger open_ledger() { return Ledger::open(run_.ledger_file(), "r1", clock_).value(); }
  void append(Ledger& ledger, const char* type, json fields) {
    fields["id"] = std::to_string(ledger.last().seq);
    EXPECT_TRUE(ledger.append(type, fields));
  }

  std::string accept(Ledger& ledger, const std::string& id, const std::string& parent) {
    const CommitId parent_commit = parent == "base" ? base_.commit : commits_.at(parent);
    const std::vector<checkpoints::TreeChange> changes{{"README", id + "\n"}};
    const auto tree = store_->with_changes(base_.tree, changes).value();
    append(ledger, "admitted",
           {{"n", commits_.size() + 1},
            {"variant", id},
            {"tree", tree.hex()},
            {"parents", {parent}},
            {"generator", "mutate"},
            {"family", "x"},
            {"purpose", "x"},
            {"patch", {{"lines", 2}, {"files", 1}}}});
    const json evaluation{{"reason", ""}, {"metrics", json::object()}};
    append(ledger, "judged", {{"variant", id}, {"verdict", "passed"}, {"evaluation", evaluation}});
    const checkpoints::LedgerPosition judged = ledger.last();
    const std::string message =
        checkpoints::compose_message(id, "",
                                     {.run = "r1",
                                      .variant = id,
                                      .verdict = "passed",
                                      .metrics = {},
                                      .policy = sha256(kPinned.policy).hex(),
                                      .level = "guarded",
                                      .generator = "mutate",
                                      .judged = judged});
    const CommitId commit = store_
                                ->commit({.tree = tree,
                                          .parents = {parent_commit},
                                          .author_name = "x",
                                          .message = message,
                                          .time = clock_.now()})
                                .value();
    commits_[id] = commit;
    const std::string ref = checkpoints::variant_ref("r1", id);
    append(ledger, "accepted",
           {{"variant", id},
            {"commit", commit.hex()},
            {"tree", tree.hex()},
            {"ref", ref},
            {"parents", {parent_commit.hex()}},
            {"judged", {{"seq", judged.seq}, {"sha256", judged.hash.hex()}}},
            {"why", "better"}});
    EXPECT_TRUE(store_->move_ref(ref, commit.hex(), std::nullopt));
    json from;
    if (parent != "base") from = parent_commit.hex();
    append(ledger, "champion", {{"variant", id}, {"from", from}, {"to", commit.hex()}});
    EXPECT_TRUE(
        store_->move_ref(kChampion, commit.hex(),
                         parent == "base" ? std::nullopt : std::optional(parent_commit.hex())));
    return id;
  }

  Result<RolledBack> roll_back_to(const std::optional<std::string>& variant) {
    return roll_back(repo_.repository(), run_, variant, clock_);
  }
  std::string champion() { return checkpoints::ref_target(*store_, kChampion)->value_or(""); }
  std::size_t rollbacks() { return load_history(run_)->rollbacks.size(); }

  inline static const checkpoints::PinnedFiles kPinned{.policy = "version: 1\n",
                                                       .target = "name: x\n"};
  inline static const std::string kChampion = checkpoints::champion_ref("r1");
  checkpoints::TempRepository repo_;
  std::unique_ptr<checkpoints::GitStore> store_ = repo_.store();
  checkpoints::Snapshot base_ = repo_.base();
  ManualClock clock_;
  RunDirectory run_ = RunDirectory::create(repo_.repository().common_dir(),
                                           checkpoints::RunId::parse("r1").value(), kPinned)
                          .value();
  std::map<std::string, CommitId> commits_;
};

TEST_F(RollbackTest, GoesToTheChampionBeforeAndCanBeUndone) {
  const auto done = roll_back_to({});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->from, "cccc");
  EXPECT_EQ(done->to, "bbbb");
  EXPECT_EQ(champion(), commits_.at("bbbb").hex());
  EXPECT_EQ(roll_back_to({})->to, "aaaa");
  EXPECT_EQ(roll_back_to("cc")->to, "cccc");
  EXPECT_EQ(champion(), commits_.at("cccc").hex());
  EXPECT_EQ(roll_back_to({})->to, "bbbb") << "the one it was crowned over";
  EXPECT_EQ(rollbacks(), 4U);
}

TEST_F(RollbackTest, TellsWhereInTheRunItCame) {
  ASSERT_TRUE(roll_back_to("aaaa"));
  const auto history = load_history(run_).value();
  ASSERT_EQ(history.rollbacks.size(), 1U);
  EXPECT_EQ(history.rollbacks[0].variant, "aaaa");
  EXPECT_EQ(history.rollbacks[0].results, 3U);
  EXPECT_EQ(history.rollbacks[0].proposals, 3U);
}

TEST_F(RollbackTest, CompletesOneThatWasCutOffBeforeItsRefMoved) {
  Ledger ledger = open_ledger();
  append(ledger, "rollback",
         {{"variant", "aaaa"},
          {"from", commits_.at("cccc").hex()},
          {"to", commits_.at("aaaa").hex()}});
  const auto again = roll_back_to({});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->from, "cccc");
  EXPECT_EQ(again->to, "aaaa");
  EXPECT_EQ(champion(), commits_.at("aaaa").hex());
  EXPECT_EQ(rollbacks(), 1U) << "the one on record is the one that was asked for";
  EXPECT_EQ(roll_back_to("bbbb")->from, "aaaa");
}

TEST_F(RollbackTest, ADifferentOneAfterACutOffOneGoesOnFromThere) {
  Ledger ledger = open_ledger();
  append(ledger, "rollback",
         {{"variant", "aaaa"},
          {"from", commits_.at("cccc").hex()},
          {"to", commits_.at("aaaa").hex()}});
  const auto other = roll_back_to("bbbb");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->from, "aaaa");
  EXPECT_EQ(champion(), commits_.at("bbbb").hex());
  EXPECT_EQ(rollbacks(), 2U);
}

TEST_F(RollbackTest, ARefThatSomebodyMovedIsLeftAndNothingIsRecorded) {
  repo_.git("update-ref " + kChampion + " HEAD");
  const auto refused = roll_back_to({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(champion(), base_.commit.hex());
  EXPECT_EQ(rollbacks(), 0U);
}

TEST_F(RollbackTest, ALockThatAKilledEngineLeftIsNoObstacle) {
  std::ofstream(repo_.git_dir() / (kChampion + ".lock")) << "";
  const auto done = roll_back_to({});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(champion(), commits_.at("bbbb").hex());
}

TEST_F(RollbackTest, InTheMiddleOfADecisionItIsRefused) {
  Ledger ledger = open_ledger();
  const json evaluation{{"reason", ""}, {"metrics", json::object()}};
  append(ledger, "judged",
         {{"variant", "bbbb"}, {"verdict", "passed"}, {"evaluation", evaluation}});
  const auto refused = roll_back_to({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("instar resume r1"));
  append(ledger, "rejected", {{"variant", "bbbb"}, {"why", "not better"}});
  EXPECT_EQ(load_history(run_)->mid_decision, false);
}

TEST_F(RollbackTest, OnlyToACheckpointThatIsNotTheChampion) {
  EXPECT_EQ(roll_back_to("cccc").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(roll_back_to("dddd").error().code, ErrorCode::kNotFound);
  Ledger ledger = open_ledger();
  append(ledger, "rejected", {{"variant", "aaaa"}, {"why", "for the test"}});
  EXPECT_EQ(roll_back_to("aaaa").error().code, ErrorCode::kRefused);
  EXPECT_EQ(champion(), commits_.at("cccc").hex());
}

TEST_F(RollbackTest, ARunWhoseTailWasCutIsLeftAsItIs) {
  const std::string whole = read_file(run_.ledger_file(), 1UL << 20).value();
  const std::string cut = whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1);
  std::filesystem::resize_file(run_.ledger_file(), cut.size());
  const auto anchor = checkpoints::read_anchor(*store_, "r1").value();
  EXPECT_EQ(roll_back_to({}).error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(read_file(run_.ledger_file(), 1UL << 20).value(), cut);
  EXPECT_EQ(champion(), commits_.at("cccc").hex());
  EXPECT_EQ(checkpoints::read_anchor(*store_, "r1").value()->hash, anchor->hash);
  std::ofstream(run_.ledger_file(), std::ios::binary) << whole;
  EXPECT_TRUE(roll_back_to({})) << "put back, it is the run of before";
}

TEST_F(RollbackTest, IdsAndNamesOfTheRecordArePlainWords) {
  Ledger ledger = open_ledger();
  append(ledger, "run_ended", {{"ended", "\x1b[2J"}});
  const auto history = load_history(run_);
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(history.error().message.find('\x1b'), std::string::npos);
}

TEST_F(RollbackTest, AChampionThatTheRecordDoesNotTellAboutIsAnError) {
  Ledger ledger = open_ledger();
  append(ledger, "rollback", {{"variant", "eeee"}, {"from", commits_.at("cccc").hex()}});
  EXPECT_EQ(load_history(run_).error().code, ErrorCode::kIntegrity);
}

TEST_F(RollbackTest, ARunWithoutARecordIsNotFound) {
  std::filesystem::resize_file(run_.ledger_file(), 0);
  EXPECT_EQ(load_history(run_).error().code, ErrorCode::kNotFound);
  std::filesystem::remove(run_.ledger_file());
  EXPECT_EQ(load_history(run_).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace instar::engine
