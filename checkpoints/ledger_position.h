#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checkpoints/ledger.h"

namespace instar::checkpoints {

/// "12:<64 hex digits>", with another separator where asked for.
std::string format_position(const LedgerPosition& position, char separator = ':');
/// Nothing for any text that format_position would not write.
std::optional<LedgerPosition> parse_position(std::string_view text, char separator = ':');

}  // namespace instar::checkpoints
