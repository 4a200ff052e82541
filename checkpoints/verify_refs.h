#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "checkpoints/verify_records.h"

namespace instar::checkpoints {

/// Compares the refs of a run with those that its records ask for, no more and no fewer.
Result<void> check_refs(CheckpointStore& store, const std::string& run,
                        const std::map<std::string, ExpectedRef>& expected_refs,
                        Findings& findings);

/// Compares the anchor with the record that it names, and tells what it does not protect.
void check_anchor(const Result<std::optional<LedgerPosition>>& anchor, const LedgerContents& ledger,
                  Findings& findings);

}  // namespace instar::checkpoints
