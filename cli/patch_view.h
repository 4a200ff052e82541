#pragma once

#include <string>
#include <string_view>

#include "cli/run_lookup.h"

namespace instar::cli {

/// The patch of a variant against its parent: from its commit when it was accepted, else from the
/// run's segments.
Result<std::string> variant_patch(const VariantView& view);

/// Prints a patch for a reviewer: escapes what could repaint a terminal, colours when `color`. Raw
/// when stdout is no terminal, so that it can be applied.
void print_patch(std::string_view patch, bool color);

}  // namespace instar::cli
