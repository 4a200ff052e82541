#include "cli/patch_view.h"

#include <unistd.h>

#include <cstdio>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "checkpoints/ledger_position.h"
#include "checkpoints/patch.h"
#include "checkpoints/segments.h"

namespace instar::cli {

namespace {

const char* color_of(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff "))
    return "\x1b[1m";
  if (line.starts_with("@@")) return "\x1b[36m";
  if (line.starts_with("+")) return "\x1b[32m";
  if (line.starts_with("-")) return "\x1b[31m";
  return "";
}

}  // namespace

Result<std::string> variant_patch(const VariantView& view) {
  const engine::HistoryEntry& entry = view.entry;
  if (entry.patch) {
    const auto segment = Digest::parse(entry.patch->segment);
    if (!segment) {
      return fail(ErrorCode::kIntegrity, "the record of variant " + entry.id + " names no segment",
                  "`instar verify` checks the whole run");
    }
    auto kept = checkpoints::SegmentReader(view.run.directory.segments())
                    .read(*segment, entry.patch->offset, entry.patch->size);
    const bool gone = !kept && kept.error().code == ErrorCode::kNotFound;
    if (!gone || entry.commit.empty()) return kept;
  }
  if (entry.commit.empty()) {
    return fail(ErrorCode::kNotFound, "the patch of variant " + entry.id + " was not kept",
                "a run that was cut off loses the patches of its last rejected variants; "
                "`instar resume " +
                    view.run.history.run + "` makes them again");
  }
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(view.run.repository));
  const auto id = checkpoints::CommitId::parse(entry.commit);
  if (!id) {
    return fail(ErrorCode::kIntegrity, "the record of variant " + entry.id + " names no commit",
                "`instar verify` checks the whole run");
  }
  const auto commit = INSTAR_TRY(store->commit_info(*id));
  if (commit.parents.empty()) {
    return fail(ErrorCode::kIntegrity, "commit " + id->hex() + " has no parent",
                "`instar verify` checks the whole run");
  }
  const auto parent = INSTAR_TRY(store->commit_info(commit.parents.front()));
  return checkpoints::make_patch(*store, parent.tree, commit.tree);
}

void print_patch(std::string_view patch, bool color) {
  if (::isatty(STDOUT_FILENO) != 1) {
    std::fwrite(patch.data(), 1, patch.size(), stdout);
    return;
  }
  for (const auto line : split(patch, '\n')) {
    const char* start = color ? color_of(line) : "";
    std::printf("%s%s%s\n", start, escape_for_terminal(line, true).c_str(),
                *start != '\0' ? "\x1b[0m" : "");
  }
}

}  // namespace instar::cli
