#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "checkpoints/ledger.h"

namespace instar::checkpoints {

/// The trailers of a checkpoint: what `git interpret-trailers` and `verify` read.
struct CheckpointTrailers {
  std::string run;
  std::string variant;
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< name and number, in their order
  std::string policy;                                        ///< SHA-256 of the policy, hex
  std::string level;
  std::string generator;
  LedgerPosition judged;  ///< the `judged` record of this variant
};

/// A metric's value as trailers tell it: nine digits, so that what can be told apart stays so.
std::string format_metric(double value);

/// The message of a checkpoint's commit: one line of subject, a body, the trailers as the last
/// paragraph. Nothing in `purpose` or `body` can forge a trailer, end the message of a patch in
/// mail format, or carry a control character: such lines are indented, such characters escaped.
std::string compose_message(std::string_view purpose, std::string_view body,
                            const CheckpointTrailers& trailers);

/// Reads the last paragraph. An unknown, missing, repeated or malformed trailer is kIntegrity.
Result<CheckpointTrailers> parse_trailers(std::string_view message);

}  // namespace instar::checkpoints
