#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"

namespace instar::cli {

/// Prints the one JSON object of a command on stdout, with `schema_version` added.
void print_json(nlohmann::json object);

/// An error for a person on stderr (what, why, what to do), or the JSON error object on stdout.
void print_error(const Error& error, bool json);

/// Writes out what stdout still holds. 0, or the errno of a write that failed now or earlier.
int flush_output();

/// That stdout could not be written, and what was printed there is not whole.
Error lost_output(int err);

}  // namespace instar::cli
