#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "checkpoints/ledger.h"
#include "checkpoints/ledger_line.h"

namespace instar::checkpoints {

/// Where a ledger's whole records end.
struct ChainEnd {
  LedgerPosition last;            ///< seq 0: the ledger is empty
  std::uint64_t whole_bytes = 0;  ///< of all lines that end with a newline
  std::string torn;               ///< what follows them
};

/// A record while it is read; the views live until the next one.
struct ChainRecord {
  LedgerPosition position;
  LineHead head;
  std::string_view line;
};

/// Reads a ledger from the start, in bounded memory, and checks that each line has the next
/// sequence number, the run of the first, and the hash of the line before. The JSON of the last
/// line is parsed as a whole, since no later line vouches for it; of the others only the head is. A
/// break is kIntegrity naming `name`, the line and the reason.
Result<ChainEnd> check_chain(int fd, const std::string& name,
                             const std::function<void(const ChainRecord&)>& each);

}  // namespace instar::checkpoints
