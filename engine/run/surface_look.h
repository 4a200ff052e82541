#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/repository.h"
#include "checkpoints/store.h"
#include "engine/config/target.h"

namespace instar::engine {

/// Whether a path looks like a test by its name: a directory `tests`, `test_x.py`, `x_test.c`,
/// `conftest.py`, `XTest.java`. A guess for a warning.
bool looks_like_test(std::string_view path);

/// What speaks against a surface of these paths, which are the base's: tests that a variant may
/// change, and nothing that the generator reads.
std::vector<std::string> surface_warnings(const Target& target,
                                          const std::vector<std::string>& surface);

/// The error of a surface that matches no file of `base`, which is named as the user knows it.
Error empty_surface(const Target& target, const std::string& base);

/// Files of the working tree that `sealed` patterns mean and that no cell gets, since `base` lacks
/// them: they are ignored, untracked or not yet committed. What tests leave behind, such as
/// bytecode, is none of them.
Result<std::vector<std::string>> not_committed(const std::vector<Sourced>& sealed,
                                               const checkpoints::Repository& repository,
                                               const std::vector<checkpoints::TreeEntry>& base);

/// The same, of the patterns that match no file of `base`: it is not what their writer meant.
Result<std::vector<std::string>> missed_by_seals(const std::vector<Sourced>& sealed,
                                                 const checkpoints::Repository& repository,
                                                 const std::vector<checkpoints::TreeEntry>& base);

/// "sealed files are not committed, …: tests/test_a.py and 2 more", for a warning or a hint.
std::string say_not_committed(const std::vector<std::string>& paths);

}  // namespace instar::engine
