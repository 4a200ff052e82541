#pragma once

#include <sys/types.h>

namespace instar::isolation {

/// Changes this process to a user and group for good: every id, and no further groups. Leaving user
/// 0 drops every capability. False, with errno, when any part failed.
///
/// Only raw system calls: the C library's wrappers would act on every thread of a process that a
/// child between clone and exec only borrows its memory from.
bool become_user(uid_t user, gid_t group);

}  // namespace instar::isolation
