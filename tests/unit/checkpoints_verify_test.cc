#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.h"
#include "checkpoints/anchor.h"
#include "checkpoints/ledger.h"
#include "checkpoints/message.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/segments.h"
#include "checkpoints/verify.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A whole run by hand: two variants accepted, the second a child of the first and champion after
/// it, a rollback, a clean end.
class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    auto ledger = Ledger::open(run_.ledger_file(), "r1", clock_).value();
    started_ = {{"level", "guarded"},
                {"policy_sha256", sha256(kPinned.policy).hex()},
                {"target_sha256", sha256(kPinned.target).hex()},
                {"base_commit", base_.commit.hex()},
                {"base_tree", base_.tree.hex()}};
    EXPECT_TRUE(ledger.append("run_started", started_));
    first_ = accept(ledger, "aaaaaaaaaaaa", base_.commit);
    move_champion(ledger, "champion", nullptr, first_);
    SegmentWriter writer(run_.segments());
    EXPECT_TRUE(writer.add("aaaaaaaaaaaa", "a patch"));
    segment_ = writer.flush().value().value().hash;
    const json entry{{"name", "aaaaaaaaaaaa"}, {"offset", 0}, {"size", 7}};
    EXPECT_TRUE(ledger.append("segment", {{"hash", segment_.hex()}, {"entries", {entry}}}));
    second_ = accept(ledger, "bbbbbbbbbbbb", first_);
    move_champion(ledger, "champion", first_.hex(), second_);
    move_champion(ledger, "rollback", second_.hex(), first_);
    const auto end = ledger.append("run_ended", json::object()).value();
    EXPECT_TRUE(write_anchor(*store_, "r1", end));
    whole_ = read_file(run_.ledger_file(), 1UL << 20).value();
  }

  CommitId accept(Ledger& ledger, const std::string& variant, const CommitId& parent) {
    EXPECT_TRUE(ledger.append("admitted", {{"variant", variant}, {"generator", "mutate"}}));
    const json evaluation{{"metrics", {{"tests.failed", 0}}}};
    const auto judged =
        ledger
            .append("judged",
                    {{"variant", variant}, {"verdict", "passed"}, {"evaluation", evaluation}})
            .value();
    const std::vector<TreeChange> changes{{"a.txt", variant + "\n"}};
    const TreeId tree = store_->with_changes(base_.tree, changes).value();
    const std::string message = compose_message("change a line", "",
                                                {.run = "r1",
                                                 .variant = variant,
                                                 .verdict = "passed",
                                                 .metrics = {{"tests.failed", "0"}},
                                                 .policy = started_["policy_sha256"],
                                                 .level = "guarded",
                                                 .generator = "mutate",
                                                 .judged = judged});
    const CommitId commit = store_
                                ->commit({.tree = tree,
                                          .parents = {parent},
                                          .author_name = "Instar r1",
                                          .message = message,
                                          .time = clock_.now()})
                                .value();
    const std::string ref = variant_ref("r1", variant);
    EXPECT_TRUE(ledger.append("accepted",
                              {{"variant", variant},
                               {"commit", commit.hex()},
                               {"tree", tree.hex()},
                               {"ref", ref},
                               {"parents", {parent.hex()}},
                               {"judged", {{"seq", judged.seq}, {"sha256", judged.hash.hex()}}}}));
    EXPECT_TRUE(store_->move_ref(ref, commit.hex(), std::nullopt));
    return commit;
  }

  void move_champion(Ledger& ledger, const char* type, const json& from, const CommitId& to) {
    EXPECT_TRUE(ledger.append(type, {{"from", from}, {"to", to.hex()}}));
    const auto expected = from.is_null() ? std::nullopt : std::optional(from.get<std::string>());
    EXPECT_TRUE(store_->move_ref(champion_ref("r1"), to.hex(), expected));
  }

  VerifyReport verify() { return verify_run(*store_, run_).value(); }
  bool intact() { return verify().intact(); }
  void write_ledger(const std::string& bytes) {
    std::ofstream(run_.ledger_file(), std::ios::binary) << bytes;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    for (const auto line : split(whole_, '\n')) {
      if (!line.empty()) found.emplace_back(line);
    }
    return found;
  }
  bool intact_with(const std::vector<std::string>& changed) {
    write_ledger(changed.empty() ? "" : join(changed, "\n") + "\n");
    return intact();
  }
  /// Gives each line the right number and `prev` again, as a patient forger would.
  static std::vector<std::string> chained(std::vector<std::string> changed) {
    std::string prev(64, '0');
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const auto at = changed[i].find("\"prev\":\"") + 8;
      changed[i].replace(at, 64, prev);
      const auto seq = changed[i].find("\"seq\":") + 6;
      changed[i].replace(seq, changed[i].find(',', seq) - seq, std::to_string(i + 1));
      prev = sha256(changed[i]).hex();
    }
    return changed;
  }

  inline static const PinnedFiles kPinned{.policy = "version: 1\n", .target = "name: x\n"};
  TempRepository repo_{{{"a.txt", "a\n"}, {"b.txt", "b\n"}}};
  std::unique_ptr<GitStore> store_ = repo_.store();
  Snapshot base_ = repo_.base();
  ManualClock clock_;
  RunDirectory run_ =
      RunDirectory::create(repo_.repository().common_dir(), RunId::parse("r1").value(), kPinned)
          .value();
  json started_;
  CommitId first_;
  CommitId second_;
  Digest segment_;
  std::string whole_;
};

TEST_F(VerifyTest, AnUntouchedRunIsIntact) {
  const auto report = verify();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.records, 12U);
  EXPECT_EQ(report.accepted, 2U);
  EXPECT_EQ(report.champion, first_);
  repo_.git("pack-refs --all");
  repo_.git("gc -q");
  EXPECT_TRUE(verify().findings.empty()) << "git's own upkeep changes nothing";
}

TEST_F(VerifyTest, ARefThatMovedBackBehindTheAnchorIsABreak) {
  {
    auto ledger = Ledger::open(run_.ledger_file(), "r1", clock_).value();
    move_champion(ledger, "rollback", first_.hex(), second_);
    EXPECT_TRUE(store_->move_ref(champion_ref("r1"), first_.hex(), second_.hex()));
    EXPECT_TRUE(intact()) << "a crash may have come before the ref was moved";
    EXPECT_FALSE(verify().findings.empty());
    EXPECT_TRUE(store_->move_ref(champion_ref("r1"), second_.hex(), first_.hex()));
    EXPECT_TRUE(write_anchor(*store_, "r1", ledger.last()));
  }
  EXPECT_TRUE(intact());
  EXPECT_TRUE(store_->move_ref(champion_ref("r1"), first_.hex(), second_.hex()));
  EXPECT_FALSE(intact()) << "the anchor came after the move";
}

TEST_F(VerifyTest, ARunThatIsWrittenMeanwhileIsNoBreak) {
  std::atomic<bool> writing{true};
  std::thread engine([&] {
    auto ledger = Ledger::open(run_.ledger_file(), "r1", clock_).value();
    CommitId parent = first_;
    for (int i = 0; i < 60; ++i) parent = accept(ledger, "c" + std::to_string(i), parent);
    writing = false;
  });
  unsigned looks = 0;
  while (writing) {
    const auto store = repo_.store();
    const auto report = verify_run(*store, run_);
    ++looks;
    EXPECT_TRUE(!report || report->intact())
        << looks << ": " << (report ? report->findings.front().text : "");
  }
  engine.join();
  EXPECT_GT(looks, 0U);
  EXPECT_TRUE(intact());
}

TEST_F(VerifyTest, AMissingLedgerIsABreakWhereRefsAreThere) {
  fs::remove(run_.ledger_file());
  EXPECT_FALSE(intact());
  EXPECT_FALSE(fs::exists(run_.ledger_file()));
}

TEST_F(VerifyTest, EveryDroppedSwappedRepeatedOrCutRecordShows) {
  const auto all = lines();
  ASSERT_TRUE(intact_with(all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto dropped = all;
    dropped.erase(dropped.begin() + static_cast<long>(i));
    EXPECT_FALSE(intact_with(dropped)) << "dropped " << i;
    EXPECT_FALSE(intact_with(chained(dropped))) << "dropped and chained anew " << i;
    auto repeated = all;
    repeated.insert(repeated.begin() + static_cast<long>(i), all[i]);
    EXPECT_FALSE(intact_with(repeated)) << "repeated " << i;
    // Behind the anchor nothing vouches for a record; that there is something there is told.
    const bool behind_anchor = i + 1 == all.size();
    EXPECT_EQ(intact_with(chained(repeated)), behind_anchor) << "repeated, chained anew " << i;
    EXPECT_FALSE(verify().findings.empty());
    if (i + 1 < all.size()) {
      auto swapped = all;
      std::swap(swapped[i], swapped[i + 1]);
      EXPECT_FALSE(intact_with(swapped)) << "swapped " << i;
      EXPECT_FALSE(intact_with(chained(swapped))) << "swapped and chained anew " << i;
    }
    EXPECT_FALSE(intact_with({all.begin(), all.begin() + static_cast<long>(i)})) << "cut at " << i;
  }
  EXPECT_TRUE(intact_with(chained(all))) << "the forger's tool itself is right";
}

TEST_F(VerifyTest, EveryChangedFieldShowsEvenWhenChainedAnew) {
  const auto all = lines();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t at = all[i].find(':'); at != std::string::npos;
         at = all[i].find(':', at + 1)) {
      auto changed = all;
      char& value = changed[i][all[i].find_first_not_of("\"{[", at + 1)];
      value = value == '1' ? '2' : '1';
      EXPECT_FALSE(intact_with(changed)) << changed[i];
      EXPECT_FALSE(intact_with(chained(changed)) && chained(changed) != all) << changed[i];
    }
  }
}

TEST_F(VerifyTest, WithoutItsAnchorARunThatEndedIsNotTrusted) {
  repo_.git("update-ref -d refs/instar/r1/anchor");
  EXPECT_FALSE(intact());
}

TEST_F(VerifyTest, AMovedDeletedOrAddedRefShows) {
  const std::string refs[] = {champion_ref("r1"), variant_ref("r1", "aaaaaaaaaaaa"),
                              variant_ref("r1", "bbbbbbbbbbbb")};
  for (const auto& ref : refs) {
    const std::string before = repo_.git("rev-parse " + ref).substr(0, 40);
    repo_.git("update-ref " + ref + " HEAD");
    EXPECT_FALSE(intact()) << ref;
    repo_.git("update-ref -d " + ref);
    EXPECT_FALSE(intact()) << ref;
    repo_.git("update-ref " + ref + " " + before);
    EXPECT_TRUE(intact()) << ref;
  }
  repo_.git("update-ref refs/instar/r1/v/cccccccccccc HEAD");
  EXPECT_FALSE(intact());
  repo_.git("update-ref -d refs/instar/r1/v/cccccccccccc");
  repo_.git("update-ref refs/instar/r10/v/x HEAD");
  EXPECT_TRUE(intact()) << "another run's ref";
  repo_.git("symbolic-ref refs/instar/r1/champion refs/instar/r1/v/aaaaaaaaaaaa");
  EXPECT_FALSE(intact()) << "a symbolic ref would follow another one";
}

TEST_F(VerifyTest, ARewrittenCommitShowsEvenUnderItsOwnRef) {
  const auto info = store_->commit_info(second_).value();
  CommitSpec spec{.tree = info.tree,
                  .parents = info.parents,
                  .author_name = info.author_name,
                  .message = info.message + "Instar-Metric: x=1\n",
                  .time = clock_.now()};
  const std::string rewritten = store_->commit(spec)->hex();
  repo_.git("update-ref " + variant_ref("r1", "bbbbbbbbbbbb") + " " + rewritten);
  EXPECT_FALSE(intact());
}

TEST_F(VerifyTest, ATrailerThatIsNotTheRecordedOneShows) {
  const auto finding_of = [&](const std::string& what, const std::string& with) {
    const auto all = lines();
    auto changed = all;
    bool found = false;
    for (auto& line : changed) {
      const auto at = line.find(what);
      if (at == std::string::npos || found) continue;
      line.replace(at, what.size(), with);
      found = true;
    }
    EXPECT_TRUE(found) << what;
    write_ledger(join(chained(changed), "\n") + "\n");
    std::string texts;
    for (const auto& finding : verify().findings) texts += finding.text + "\n";
    return texts;
  };
  EXPECT_THAT(finding_of("\"level\":\"guarded\"", "\"level\":\"container\""),
              testing::HasSubstr("Instar-Level"));
  EXPECT_THAT(finding_of("\"generator\":\"mutate\"", "\"generator\":\"other\""),
              testing::HasSubstr("Instar-Generator"));
  EXPECT_EQ(finding_of("\"level\":\"guarded\"", "\"level\":\"guarded\""), "");
}

TEST_F(VerifyTest, ADamagedOrMissingObjectShows) {
  const auto entry = store_->find(store_->commit_info(second_)->tree, "a.txt").value().value();
  for (const std::string& id :
       {second_.hex(), store_->commit_info(second_)->tree.hex(), entry.blob.hex()}) {
    const fs::path file = repo_.git_dir() / "objects" / id.substr(0, 2) / id.substr(2);
    ASSERT_TRUE(fs::exists(file)) << id;
    fs::rename(file, repo_.path() / "hidden");
    store_ = repo_.store();
    EXPECT_FALSE(intact()) << "missing " << id;
    std::ofstream(file, std::ios::binary) << "damaged";
    store_ = repo_.store();
    EXPECT_FALSE(intact()) << "damaged " << id;
    fs::rename(repo_.path() / "hidden", file);
    store_ = repo_.store();
    EXPECT_TRUE(intact()) << id;
  }
}

TEST_F(VerifyTest, AChangedPinnedFileShows) {
  for (const fs::path& file : {run_.policy_file(), run_.target_file()}) {
    const std::string before = read_file(file, 1000).value();
    std::ofstream(file, std::ios::app) << "level: guarded\n";
    EXPECT_FALSE(intact()) << file;
    fs::remove(file);
    EXPECT_FALSE(intact()) << file;
    std::ofstream(file) << before;
    EXPECT_TRUE(intact()) << file;
  }
}

TEST_F(VerifyTest, ACrashBeforeTheRefsMovedIsNoBreak) {
  const auto all = lines();
  repo_.git("update-ref -d refs/instar/r1/anchor");
  // After the second `accepted`, before its ref and its champion.
  repo_.git("update-ref -d " + variant_ref("r1", "bbbbbbbbbbbb"));
  EXPECT_TRUE(intact_with({all.begin(), all.begin() + 9}));
  EXPECT_TRUE(intact_with({all.begin(), all.begin() + 10}));
  const auto report = verify();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_THAT(report.findings.back().text, testing::HasSubstr("instar resume"));
  // With a later record the run went on, and the ref must have moved.
  EXPECT_FALSE(intact_with(all));
}

TEST_F(VerifyTest, ATornTailIsToldAndIsNoBreak) {
  write_ledger(whole_ + "{\"v\":1,");
  const auto report = verify();
  EXPECT_TRUE(report.intact());
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].text, testing::HasSubstr("torn"));
}

TEST_F(VerifyTest, AMissingLedgerIsABreak) {
  fs::remove(run_.ledger_file());
  EXPECT_FALSE(intact());
}

TEST_F(VerifyTest, ADamagedSegmentIsABreakAndAnOldOneThatIsGoneIsNot) {
  const fs::path file = run_.segments() / (segment_.hex() + ".zst");
  const std::string before = read_file(file, 1000).value();
  std::ofstream(file, std::ios::app) << "x";
  EXPECT_FALSE(intact());
  fs::remove(file);
  const auto report = verify();
  EXPECT_TRUE(report.intact());
  EXPECT_THAT(report.findings.at(0).text, testing::HasSubstr("not there any more"));
}

TEST_F(VerifyTest, ChangesNothing) {
  const std::string before = repo_.fingerprint();
  verify();
  EXPECT_EQ(repo_.fingerprint(), before);
}

}  // namespace
}  // namespace instar::checkpoints
