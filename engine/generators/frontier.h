#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/generators/family.h"
#include "engine/generators/learning.h"
#include "engine/generators/source_cache.h"

namespace instar::engine {

/// One edit of a parent, with what is told about it later.
struct EditDraft {
  std::string path;
  std::shared_ptr<const SourceFile> file;
  NodeId site = kNoNode;
  std::size_t family = 0;
  Candidate candidate;
  std::uint64_t place = 0;     ///< identifies the edit wherever its lines stand unchanged
  std::uint64_t function = 0;  ///< the function it is in: path and name
};

/// An edit that made an accepted variant: enough to find it at another parent.
struct Gain {
  std::string path;
  std::size_t family = 0;
  std::uint64_t place = 0;
  std::uint64_t function = 0;
};

/// Places of edits, and the number of the frontier that tried each first while it was the best
/// parent's: what is tried at others does not put it off there.
using Tried = std::unordered_map<std::uint64_t, std::uint32_t>;

/// What a frontier works with, shared by all of them.
struct Workshop {
  SourceCache sources;
  Parser parser;
  Learning learning;
  Tried tried;
  bool leading = true;  ///< the parent at work is the best one
};

/// Everything that can be done to one parent in one edit, without repetition and lazily: only what
/// is asked for is made. Families take turns by their weights (smooth weighted round robin), and
/// within a family sites come by function weight, rank of the candidate and a draw of the seed.
/// State stays, so that a search which comes back to this parent goes on where it left.
class Frontier {
 public:
  /// `files`: those of the parent that may change and have a known language.
  Frontier(std::uint32_t number, std::vector<checkpoints::TreeEntry> files, std::uint64_t seed);

  /// Nothing: exhausted. Edits that another frontier tried at unchanged lines get one turn in
  /// three: there they changed nothing, but here they may be the second half of a repair.
  Result<std::optional<EditDraft>> next(Workshop& workshop);

  /// The edit that another parent gained by, made here: nothing when its lines are not the same
  /// here, or when it has been proposed already. Two gains found apart meet this way.
  Result<std::optional<EditDraft>> repeat(const Gain& gain, Workshop& workshop);

 private:
  /// A candidate that is still to come: the `rank`-th of a family at a site.
  struct Entry {
    float urgency;
    std::uint32_t file;
    std::uint32_t function;  ///< index into the file's
    NodeId node;
    std::uint32_t rank;
    bool operator<(const Entry& other) const;  ///< less urgent
  };
  struct Deferred {
    std::size_t family;
    Entry entry;
  };
  struct FunctionInfo {
    std::uint64_t hash;
    std::string name;
    double weight;
  };
  struct OpenFile {
    checkpoints::TreeEntry entry;
    std::uint64_t salt;  ///< of the draws at its sites
    std::vector<FunctionInfo> functions;
  };

  void order_files(const Learning& learning);
  Result<void> open_files(Workshop& workshop);
  Result<void> open_one(Workshop& workshop);
  /// The number of an open file, opened if it must be; nothing when the parent has no such source.
  Result<std::optional<std::uint32_t>> open_path(const std::string& path, Workshop& workshop);
  void add_sites(const SourceFile& source, const Learning& learning);
  [[nodiscard]] float urgency_of(const Entry& entry, std::size_t family) const;
  void reorder(const Learning& learning);
  [[nodiscard]] std::optional<std::size_t> choose_family(const Learning& learning);
  Result<std::optional<EditDraft>> draw(std::size_t family, Workshop& workshop);
  Result<std::optional<EditDraft>> draw_deferred(Workshop& workshop);
  enum class Follow { kQueue, kLeave };  ///< what becomes of the site's next rank
  /// The draft of an entry; nothing when the site has no candidate of that rank.
  Result<std::optional<EditDraft>> take(std::size_t family, const Entry& entry, Follow follow,
                                        Workshop& workshop);
  void remember(const EditDraft& draft, Workshop& workshop);
  [[nodiscard]] bool admissible(const EditDraft& draft, Parser& parser);

  std::uint32_t number_;
  std::vector<checkpoints::TreeEntry> waiting_;  ///< files not opened yet, the next one last
  std::uint64_t seed_;
  bool started_ = false;
  std::vector<OpenFile> open_;
  std::vector<std::vector<Entry>> queues_;  ///< a heap per family
  std::vector<double> turns_;               ///< of the round robin
  std::deque<Deferred> deferred_;
  std::unordered_set<std::uint64_t> results_;  ///< proposed already, whatever the family
  std::uint64_t drafts_ = 0;
  std::size_t opened_bytes_ = 0;
  std::uint64_t ordered_for_ = 0;  ///< version of the learning that the heaps follow
};

/// The same for two edits of a text that give the same result, however they are cut.
std::uint64_t result_hash(std::string_view path, std::string_view text, const Candidate& candidate);

}  // namespace instar::engine
