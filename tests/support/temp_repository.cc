#include "tests/support/temp_repository.h"

#include <git2.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "base/sha256.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

namespace {

void expect_ok(int code) {
  if (code != 0) {
    const git_error* error = git_error_last();
    FAIL() << (error == nullptr ? "libgit2 failed" : error->message);
  }
}

void write_file(const fs::path& path, const TreeChange& file) {
  fs::create_directories(path.parent_path());
  if (file.mode == FileMode::kSymlink) {
    fs::create_symlink(*file.content, path);
    return;
  }
  std::ofstream(path, std::ios::binary) << *file.content;
  if (file.mode == FileMode::kExecutable) fs::permissions(path, fs::perms(0755));
}

/// Commits the whole working tree on the branch that HEAD names.
void commit_everything(git_repository* repository) {
  git_index* index = nullptr;
  expect_ok(git_repository_index(&index, repository));
  expect_ok(git_index_add_all(index, nullptr, GIT_INDEX_ADD_FORCE, nullptr, nullptr));
  expect_ok(git_index_write(index));
  git_oid tree_id;
  expect_ok(git_index_write_tree(&tree_id, index));
  git_tree* tree = nullptr;
  expect_ok(git_tree_lookup(&tree, repository, &tree_id));
  git_signature* who = nullptr;
  expect_ok(git_signature_new(&who, "Somebody", "somebody@localhost", 1700000000, 0));
  git_oid commit_id;
  expect_ok(git_commit_create(&commit_id, repository, "HEAD", who, who, nullptr, "Base\n", tree, 0,
                              nullptr));
  git_signature_free(who);
  git_tree_free(tree);
  git_index_free(index);
}

}  // namespace

UnsyncedWrites::UnsyncedWrites() {
  EXPECT_TRUE(start_git());
  git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
}

UnsyncedWrites::~UnsyncedWrites() { git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1); }

TempRepository::TempRepository(const std::vector<TreeChange>& files, const std::string& name)
    : directory_(TempDir::create("instar-test").value()), path_(directory_.path() / name) {
  const UnsyncedWrites fast;
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_MKPATH;
  options.initial_head = "main";
  git_repository* repository = nullptr;
  expect_ok(git_repository_init_ext(&repository, path_.c_str(), &options));
  for (const TreeChange& file : files) write_file(path_ / file.path, file);
  if (!files.empty()) commit_everything(repository);
  git_repository_free(repository);
}

Repository TempRepository::repository() const { return Repository::open(path_).value(); }

std::unique_ptr<GitStore> TempRepository::store() const {
  return GitStore::open(repository()).value();
}

Snapshot TempRepository::base() const { return repository().head().value(); }

std::string TempRepository::fingerprint(const std::vector<std::string>& except) const {
  std::map<std::string, std::string> entries;
  for (auto at = fs::recursive_directory_iterator(path_); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = fs::relative(at->path(), path_).string();
    bool left_out = false;
    for (const auto& prefix : except) left_out = left_out || name.starts_with(prefix);
    if (left_out) continue;
    struct stat info {};
    EXPECT_EQ(::lstat(at->path().c_str(), &info), 0);
    std::string& entry = entries[name];
    entry = std::to_string(info.st_mode) + " ";
    if (at->is_symlink()) {
      entry += fs::read_symlink(at->path()).string();
    } else if (at->is_regular_file()) {
      entry += std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) +
               " " + sha256(read_file(at->path(), 1UL << 30).value()).hex();
    }
  }
  std::string all;
  for (const auto& [name, entry] : entries) all += name + " " + entry + "\n";
  return all;
}

std::string TempRepository::git(const std::string& arguments) const {
  const std::string command =
      "cd '" + path_.string() +
      "' && env -i PATH=\"$PATH\" HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 "
      "GIT_AUTHOR_NAME=Somebody GIT_AUTHOR_EMAIL=somebody@localhost GIT_COMMITTER_NAME=Somebody "
      "GIT_COMMITTER_EMAIL=somebody@localhost git -c protocol.file.allow=always " +
      arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  EXPECT_EQ(::pclose(pipe), 0) << "git " << arguments << ": " << output;
  return output;
}

}  // namespace instar::checkpoints

// The leak checker's own hook, so its reserved name is given: libgit2 1.5 leaks a match of its
// regular expressions each time a revision is parsed that is no plain ref.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libpcre2\n"; }  // NOLINT
