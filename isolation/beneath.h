#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// Holds a directory whose content a hostile program wrote, so that names below it can be resolved
/// without ever leaving it.
Result<Fd> hold_tree(const std::filesystem::path& root);

/// Opens `name` below a held directory. Only when no cell runs there: a live one could swap it or
/// hold a lease on it. The name must be plain, relative and `/`-separated, and is resolved through
/// no symlink and no mount; with O_PATH in `flags`, the last component itself may be a symlink.
///
/// kNotFound: it is missing. kRefused: what stands there cannot be opened this way, which is the
/// work of whoever wrote the tree. kIo: our own failure, which says nothing about the tree.
Result<Fd> open_beneath(int root, const std::string& name, int flags);

/// Whether the error tells of the tree, not of us: the name is missing, or what stands there cannot
/// be looked at.
bool not_there(const Error& error);

}  // namespace instar::isolation
