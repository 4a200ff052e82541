#pragma once

#include <string>

#include "engine/generators/frontier.h"

namespace instar::engine {

/// One line for the commit message: "src/tri.c:14: relational: replace `<` by `<=`". Escaped, and
/// bounded in length whatever the source says.
std::string describe_purpose(const EditDraft& draft);

/// Independent of where the file stands now: family, node kind, old and new text, function.
std::string fingerprint_of(const EditDraft& draft);

}  // namespace instar::engine
