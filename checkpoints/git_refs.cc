#include "checkpoints/git_refs.h"

#include <git2.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "base/text.h"
#include "checkpoints/ref_names.h"

namespace instar::checkpoints {

namespace {

std::string target_of(const git_reference& ref) {
  if (git_reference_type(&ref) == GIT_REFERENCE_SYMBOLIC) {
    return std::string("ref: ") + git_reference_symbolic_target(&ref);
  }
  return CommitId{from_oid(*git_reference_target(&ref))}.hex();
}

Result<std::optional<std::string>> current_target(git_repository& repository,
                                                  const std::string& name) {
  git_reference* raw = nullptr;
  const int code = git_reference_lookup(&raw, &repository, name.c_str());
  if (code == GIT_ENOTFOUND) return std::optional<std::string>{};
  if (code != 0) return fail(last_git_error(ErrorCode::kIntegrity, "cannot read " + name));
  const GitPtr<git_reference> ref(raw);
  return std::optional(target_of(*ref));
}

/// Takes the ref's lock. Another writer holds it for the time of one write, so a short wait is
/// enough; a lock that stays belongs to a process that died.
Result<void> lock_ref(git_transaction& transaction, const std::string& name) {
  constexpr int kAttempts = 50;
  constexpr std::chrono::milliseconds kPause(10);
  for (int attempt = 0;; ++attempt) {
    const int code = git_transaction_lock_ref(&transaction, name.c_str());
    if (code == 0) return {};
    if (code != GIT_ELOCKED) {
      return fail(last_git_error(ErrorCode::kIo, "cannot lock " + name,
                                 "see that the git directory is writable and its disk not full"));
    }
    if (attempt == kAttempts) break;
    std::this_thread::sleep_for(kPause);
  }
  return fail(ErrorCode::kBusy, name + " is locked by another process",
              "if none is running, delete " + name + ".lock in the git directory");
}

Result<void> write_locked(git_transaction& transaction, const std::string& name,
                          const RawId& target) {
  const git_oid oid = to_oid(target);
  git_signature* raw = nullptr;
  if (git_signature_new(&raw, "Instar", "instar@localhost", std::time(nullptr), 0) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot sign a ref's move"));
  }
  const std::unique_ptr<git_signature, decltype(&git_signature_free)> who(raw, git_signature_free);
  if (git_transaction_set_target(&transaction, name.c_str(), &oid, raw, "instar") != 0 ||
      git_transaction_commit(&transaction) != 0) {
    return fail(last_git_error(ErrorCode::kIo, "cannot move " + name,
                               "see that the git directory is writable and its disk not full"));
  }
  return {};
}

}  // namespace

Result<std::vector<Ref>> list_refs(git_repository& repository, const std::string& prefix) {
  if (prefix.find_first_of("*?[\\") != std::string::npos) {
    return fail(ErrorCode::kInternal, "the ref prefix '" + prefix + "' has a pattern character");
  }
  git_reference_iterator* raw = nullptr;
  if (git_reference_iterator_glob_new(&raw, &repository, (prefix + "*").c_str()) != 0) {
    return fail(last_git_error(ErrorCode::kIo, "cannot list the refs below " + prefix));
  }
  const GitPtr<git_reference_iterator> iterator(raw);
  std::vector<Ref> found;
  for (;;) {
    git_reference* next = nullptr;
    const int code = git_reference_next(&next, raw);
    if (code == GIT_ITEROVER) break;
    if (code != 0) return fail(last_git_error(ErrorCode::kIntegrity, "cannot read a ref"));
    const GitPtr<git_reference> ref(next);
    found.push_back({git_reference_name(next), target_of(*ref)});
  }
  std::ranges::sort(found, {}, &Ref::name);
  return found;
}

Result<void> move_own_ref(git_repository& repository, const std::string& name, const RawId& target,
                          const std::optional<std::string>& expected_hex) {
  // Whatever a caller got wrong, the user's branches and tags cannot be meant.
  if (!is_own_ref(name)) {
    return fail(ErrorCode::kInternal,
                "'" + escape_for_terminal(name) + "' is not a ref that this program may move");
  }
  git_transaction* raw = nullptr;
  if (git_transaction_new(&raw, &repository) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot move " + name));
  }
  const GitPtr<git_transaction> transaction(raw);
  INSTAR_CHECK(lock_ref(*transaction, name));
  const auto current = INSTAR_TRY(current_target(repository, name));
  const std::string target_hex = CommitId{target}.hex();
  if (current == target_hex) return {};
  if (current != expected_hex) {
    return fail(ErrorCode::kIntegrity,
                name + " is at " + current.value_or("nothing") + " and not at " +
                    expected_hex.value_or("nothing") + ": somebody else moved it",
                "`instar verify` compares the refs with the ledger");
  }
  return write_locked(*transaction, name, target);
}

}  // namespace instar::checkpoints
