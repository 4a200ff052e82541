#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

struct git_config;
struct git_object;
struct git_odb;
struct git_odb_object;
struct git_oid;
struct git_patch;
struct git_reference;
struct git_reference_iterator;
struct git_repository;
struct git_transaction;
struct git_tree;

namespace instar::checkpoints {

/// The bytes of any object's id, where its kind is known from the context.
using RawId = std::array<std::uint8_t, 20>;

/// Frees a libgit2 handle of any kind that we use.
struct GitFree {
  void operator()(git_config* handle) const;
  void operator()(git_object* handle) const;
  void operator()(git_odb* handle) const;
  void operator()(git_odb_object* handle) const;
  void operator()(git_patch* handle) const;
  void operator()(git_reference* handle) const;
  void operator()(git_reference_iterator* handle) const;
  void operator()(git_repository* handle) const;
  void operator()(git_transaction* handle) const;
  void operator()(git_tree* handle) const;
};
template <class T>
using GitPtr = std::unique_ptr<T, GitFree>;

git_oid to_oid(const RawId& id);
RawId from_oid(const git_oid& oid);

/// Starts libgit2, once per process, with the machine's and the user's configuration out of sight,
/// owner validation on and every write below a git directory synced.
Result<void> start_git();

/// The error of the libgit2 call that failed just now: "doing: its message".
Error last_git_error(ErrorCode code, const std::string& doing, const std::string& hint = {});

}  // namespace instar::checkpoints
