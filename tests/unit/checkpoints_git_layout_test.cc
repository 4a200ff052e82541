#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "checkpoints/repository.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;

/// A repository with a run in it, as an engine leaves it.
TempRepository with_a_run() {
  TempRepository repo;
  const auto store = repo.store();
  const std::string blob = store->write_blob("1")->hex();
  EXPECT_TRUE(store->move_ref("refs/instar/r1/champion", blob, std::nullopt));
  fs::create_directories(repo.git_dir() / "instar/runs/r1/segments");
  std::ofstream(repo.git_dir() / "instar/runs/r1/ledger.jsonl") << "";
  // As git leaves it where core.logAllRefUpdates is "always".
  fs::create_directories(repo.git_dir() / "logs/refs/instar/r1");
  std::ofstream(repo.git_dir() / "logs/refs/instar/r1/champion") << "";
  return repo;
}

void expect_refused(const TempRepository& repo, const fs::path& at) {
  const auto opened = Repository::open(repo.path());
  ASSERT_FALSE(opened) << at;
  EXPECT_EQ(opened.error().code, ErrorCode::kIntegrity) << opened.error().message;
  EXPECT_NE(opened.error().message.find(at.string()), std::string::npos) << opened.error().message;
  EXPECT_FALSE(opened.error().hint.empty());
}

TEST(GitLayout, NothingOfOursIsFollowedOutOfTheRepository) {
  for (const char* name :
       {"refs/instar", "refs/instar/r1", "refs/instar/r1/champion", "instar", "instar/runs",
        "instar/runs/r1", "instar/runs/r1/segments", "objects/pack", "logs", "logs/refs",
        "logs/refs/instar", "logs/refs/instar/r1/champion"}) {
    const TempRepository repo = with_a_run();
    ASSERT_TRUE(Repository::open(repo.path())) << "the control: all is plain";
    const TempDir elsewhere = TempDir::create("elsewhere").value();
    const fs::path at = repo.git_dir() / name;
    fs::rename(at, elsewhere.path() / "moved");
    fs::create_symlink(elsewhere.path() / "moved", at);
    expect_refused(repo, at);
  }
}

TEST(GitLayout, NoFanOutDirectoryOfObjectsIsALink) {
  const TempRepository repo = with_a_run();
  const TempDir elsewhere = TempDir::create("elsewhere").value();
  fs::path at = repo.git_dir() / "objects" / "00";
  while (fs::exists(at)) at.replace_filename("0" + std::to_string(std::stoi(at.filename()) + 1));
  fs::create_directory_symlink(elsewhere.path(), at);
  expect_refused(repo, at);
  fs::remove(at);
  EXPECT_TRUE(Repository::open(repo.path()));
}

TEST(GitLayout, AFifoHoldsNobodyUp) {
  for (const char* name :
       {"packed-refs", "refs/instar/r1/champion", "index", "objects/pack/multi-pack-index",
        "logs/refs/instar/r1/anchor", "instar/runs/r1/ledger.jsonl", "objects/info/alternates"}) {
    const TempRepository repo = with_a_run();
    const fs::path at = repo.git_dir() / name;
    fs::create_directories(at.parent_path());
    fs::remove(at);
    ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0);
    expect_refused(repo, at);
  }
}

TEST(GitLayout, AnObjectThatIsAFifoHoldsNobodyUp) {
  const TempRepository repo;
  const auto store = repo.store();
  const BlobId blob = store->write_blob("content").value();
  EXPECT_EQ(store->read(blob).value(), "content");
  const fs::path at = repo.git_dir() / "objects" / blob.hex().substr(0, 2) / blob.hex().substr(2);
  fs::remove(at);
  ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0);
  const auto read = repo.store()->read(blob);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kIntegrity);
}

TEST(GitLayout, AFewBytesThatStandForBillionsOfFilesAreRefused) {
  const TempRepository repo;
  const auto store = repo.store();
  // Ten trees of ten entries, each the same tree: ten to the tenth files.
  std::string script = "b=$(echo x | git hash-object -w --stdin); entry='100644 blob'; id=$b; ";
  script += "for level in 0 1 2 3 4 5 6 7 8 9; do id=$(for i in 0 1 2 3 4 5 6 7 8 9; do ";
  script += "printf '%s %s\\tn%d\\n' \"$entry\" $id $i; done | git mktree); entry='040000 tree'; ";
  script += "done; echo $id > tree";
  ASSERT_EQ(std::system(("cd '" + repo.path().string() + "' && " + script).c_str()), 0);
  const auto tree =
      TreeId::parse(read_file(repo.path() / "tree", 100).value().substr(0, 40)).value();
  const auto listed = store->list(tree);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(store->diff(repo.base().tree, tree));
  EXPECT_TRUE(store->list(repo.base().tree));
}

TEST(GitLayout, AnObjectThatWouldFillTheMemoryIsNotRead) {
  const TempRepository repo;
  // The header of a loose object says how large it is, before a byte of it is unpacked.
  const std::string id(40, 'a');
  const fs::path file = repo.git_dir() / "objects/aa" / std::string(38, 'a');
  fs::create_directories(file.parent_path());
  const std::string script = "import zlib; open('" + file.string() +
                             "', 'wb').write(zlib.compress(b'blob 2000000000\\0' + bytes(4096)))";
  ASSERT_EQ(std::system(("python3 -c \"" + script + "\"").c_str()), 0);
  const auto read = repo.store()->read(BlobId::parse(id).value());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(read.error().message.find("1907 MiB"), std::string::npos) << read.error().message;
}

}  // namespace
}  // namespace instar::checkpoints
