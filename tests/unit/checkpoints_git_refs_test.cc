#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "checkpoints/git_store.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;

TEST(GitStore, MovesRefsOnlyFromWhereTheyWereExpected) {
  const TempRepository repo;
  const auto store = repo.store();
  const std::string one = store->write_blob("1")->hex();
  const std::string two = store->write_blob("2")->hex();
  const std::string name = "refs/instar/r1/champion";
  EXPECT_TRUE(store->move_ref(name, one, std::nullopt));
  EXPECT_TRUE(store->move_ref(name, one, std::nullopt)) << "a replay repeats it";
  EXPECT_EQ(store->move_ref(name, two, std::nullopt).error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(store->move_ref(name, two, std::string(40, '1')).error().code, ErrorCode::kIntegrity);
  EXPECT_EQ(repo.git("rev-parse " + name), one + "\n");
  repo.git("pack-refs --all");
  EXPECT_TRUE(store->move_ref(name, two, one)) << "from a packed ref";
  EXPECT_EQ(repo.git("rev-parse " + name), two + "\n");
  EXPECT_EQ(store->move_ref(name, std::string(40, '1'), two).error().code, ErrorCode::kNotFound);
}

TEST(GitStore, MovesNoRefButItsOwn) {
  const TempRepository repo;
  const auto store = repo.store();
  const std::string before = repo.fingerprint({".git/objects"});
  const std::string blob = store->write_blob("1")->hex();
  for (const char* name :
       {"refs/heads/main", "HEAD", "refs/instar", "refs/instar/", "refs/instar/../heads/x",
        "refs/instar/r/x.lock", "refs/instar/r//x", "refs/instar/r/.x", "refs/instar/r/x y"}) {
    EXPECT_EQ(store->move_ref(name, blob, std::nullopt).error().code, ErrorCode::kInternal) << name;
  }
  EXPECT_EQ(repo.fingerprint({".git/objects"}), before);
  EXPECT_TRUE(store->move_ref("refs/instar/r/x", blob, std::nullopt));
}

TEST(GitStore, OfManyWritersOfOneRefExactlyOneWins) {
  const TempRepository repo;
  constexpr int kWriters = 4;
  const std::string name = "refs/instar/r1/champion";
  std::optional<std::string> expected;
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer] {
        const auto store = repo.store();
        const auto blob = store->write_blob(std::to_string(round) + "." + std::to_string(writer));
        const auto moved = store->move_ref(name, blob->hex(), expected);
        if (moved) ++won;
        if (!moved && moved.error().code == ErrorCode::kIntegrity) ++lost;
      });
    }
    for (auto& writer : writers) writer.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, kWriters - 1);
    expected = repo.store()->refs(name)->at(0).target_hex;
  }
}

TEST(GitStore, ListsTheRefsBelowAPrefix) {
  const TempRepository repo;
  const auto store = repo.store();
  const std::string blob = store->write_blob("1")->hex();
  for (const char* name : {"refs/instar/r1/v/b", "refs/instar/r1/v/a", "refs/instar/r10/v/a"}) {
    ASSERT_TRUE(store->move_ref(name, blob, std::nullopt));
  }
  repo.git("pack-refs --all");
  ASSERT_TRUE(store->move_ref("refs/instar/r1/anchor", blob, std::nullopt));
  std::vector<std::string> names;
  const auto listed = store->refs("refs/instar/r1/").value();
  for (const auto& ref : listed) names.push_back(ref.name);
  EXPECT_THAT(names, testing::ElementsAre("refs/instar/r1/anchor", "refs/instar/r1/v/a",
                                          "refs/instar/r1/v/b"));
  EXPECT_TRUE(store->refs("refs/instar/none/")->empty());
}

TEST(GitStore, AKilledEnginesLockIsClearedByTheNextOne) {
  const TempRepository repo;
  const auto store = repo.store();
  const std::string blob = store->write_blob("1")->hex();
  const std::string name = "refs/instar/r1/champion";
  EXPECT_TRUE(store->clear_stale_locks("r1")) << "no refs yet";
  fs::create_directories(repo.git_dir() / "refs/instar/r1");
  std::ofstream(repo.git_dir() / (name + ".lock")) << "";
  EXPECT_EQ(store->move_ref(name, blob, std::nullopt).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(store->clear_stale_locks("r1"));
  EXPECT_TRUE(store->move_ref(name, blob, std::nullopt));
}

}  // namespace
}  // namespace instar::checkpoints
