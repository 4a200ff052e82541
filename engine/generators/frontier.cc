#include "engine/generators/frontier.h"

#include <algorithm>
#include <tuple>

#include "engine/generators/hashing.h"

namespace instar::engine {

namespace {

/// Text opened before the first proposal, and proposals between two further files: a large target
/// starts at once, and no file waits for the exhaustion of another.
constexpr std::size_t kFirstBytes = 256 << 10;
constexpr std::uint64_t kDraftsPerFile = 16;

/// Of so many edits one is among those that were tried at another parent.
constexpr std::uint64_t kDraftsPerDeferred = 3;

/// An expression longer than this was generated, or made to be slow; edits inside it remain.
constexpr std::uint32_t kMaxExpressionBytes = 4096;

double unit_draw(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1.0p-53; }

/// The whole lines that the candidate touches.
std::string_view lines_around(const SyntaxTree& tree, const Candidate& candidate) {
  const std::string_view text = tree.text();
  const std::uint32_t begin = tree.line_start(candidate.begin);
  const std::size_t end = std::min(text.find('\n', candidate.end), text.size());
  return text.substr(begin, end - begin);
}

std::uint64_t function_hash(std::string_view path, std::string_view name) {
  return QuickHash().add(path).add(name).finish();
}

EditDraft make_edit_draft(const std::string& path, std::shared_ptr<const SourceFile> file,
                          NodeId site, std::size_t family, std::uint64_t function,
                          const Candidate& candidate) {
  const SyntaxTree& tree = file->tree();
  const std::uint64_t place = QuickHash()
                                  .add(function)
                                  .add(lines_around(tree, candidate))
                                  .add(candidate.begin - tree.line_start(candidate.begin))
                                  .add(candidate.end - candidate.begin)
                                  .add(candidate.text)
                                  .finish();
  return {.path = path,
          .file = std::move(file),
          .site = site,
          .family = family,
          .candidate = candidate,
          .place = place,
          .function = function};
}

}  // namespace

std::uint64_t result_hash(std::string_view path, std::string_view text,
                          const Candidate& candidate) {
  const std::string_view made = candidate.text;
  const std::size_t new_size = text.size() - (candidate.end - candidate.begin) + made.size();
  const auto at = [&](std::size_t i) {
    if (i < candidate.begin) return text[i];
    if (i - candidate.begin < made.size()) return made[i - candidate.begin];
    return text[candidate.end + (i - candidate.begin - made.size())];
  };
  const std::size_t shorter = std::min(text.size(), new_size);
  std::size_t prefix = candidate.begin;
  while (prefix < shorter && at(prefix) == text[prefix]) ++prefix;
  std::size_t suffix = std::min(text.size() - candidate.end, shorter - prefix);
  while (suffix < shorter - prefix && at(new_size - 1 - suffix) == text[text.size() - 1 - suffix]) {
    ++suffix;
  }
  QuickHash hash;
  hash.add(path).add(prefix).add(suffix);
  std::string middle;
  for (std::size_t i = prefix; i < new_size - suffix; ++i) middle += at(i);
  return hash.add(middle).finish();
}

bool Frontier::Entry::operator<(const Entry& other) const {
  return std::tuple(urgency, other.file, other.node, other.rank) <
         std::tuple(other.urgency, file, node, rank);
}

Frontier::Frontier(std::uint32_t number, std::vector<checkpoints::TreeEntry> files,
                   std::uint64_t seed)
    : number_(number),
      waiting_(std::move(files)),
      seed_(seed),
      queues_(families().size()),
      turns_(families().size(), 0) {}

void Frontier::order_files(const Learning& learning) {
  std::vector<std::pair<double, checkpoints::TreeEntry>> ranked;
  for (auto& file : waiting_) {
    const double draw = unit_draw(QuickHash().add(seed_).add(file.path).finish());
    const double weight = learning.function_weight(0, file.path);
    ranked.emplace_back(weight * (0.5 + draw), std::move(file));
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, b.second.path) < std::tie(b.first, a.second.path);
  });
  waiting_.clear();
  for (auto& one : ranked) waiting_.push_back(std::move(one.second));
}

Result<void> Frontier::open_files(Workshop& workshop) {
  if (!started_) {
    started_ = true;
    ordered_for_ = workshop.learning.version();
    order_files(workshop.learning);
  }
  while (!waiting_.empty() &&
         (opened_bytes_ < kFirstBytes || drafts_ > open_.size() * kDraftsPerFile)) {
    INSTAR_CHECK(open_one(workshop));
  }
  return {};
}

Result<void> Frontier::open_one(Workshop& workshop) {
  checkpoints::TreeEntry entry = std::move(waiting_.back());
  waiting_.pop_back();
  const auto source = INSTAR_TRY(workshop.sources.get(workshop.parser, entry));
  if (!source) return {};
  opened_bytes_ += source->tree().text().size();
  const std::uint64_t salt = QuickHash().add(seed_).add(entry.path).finish();
  open_.push_back({std::move(entry), salt, {}});
  add_sites(*source, workshop.learning);
  return {};
}

void Frontier::add_sites(const SourceFile& source, const Learning& learning) {
  OpenFile& file = open_.back();
  std::unordered_map<NodeId, std::uint32_t> numbers;
  const auto number_of = [&](NodeId function) {
    const auto [at, fresh] = numbers.emplace(function, file.functions.size());
    if (fresh) {
      const std::string name(source.function_name(function));
      const std::uint64_t hash = function_hash(file.entry.path, name);
      file.functions.push_back({hash, name, learning.function_weight(hash, name)});
    }
    return at->second;
  };
  const auto& tree = source.tree();
  const auto file_number = static_cast<std::uint32_t>(open_.size() - 1);
  for (NodeId node = 1; node < tree.nodes().size(); ++node) {
    const Node& self = tree.at(node);
    if (self.broken || self.has_error) continue;
    if (!is_statement(self.role) && self.end - self.begin > kMaxExpressionBytes) continue;
    for (std::size_t family = 0; family < queues_.size(); ++family) {
      if (!families()[family]->applies({source, node})) continue;
      Entry entry{0, file_number, number_of(source.function_of(node)), node, 0};
      entry.urgency = urgency_of(entry, family);
      queues_[family].push_back(entry);
    }
  }
  for (auto& queue : queues_) std::make_heap(queue.begin(), queue.end());
}

float Frontier::urgency_of(const Entry& entry, std::size_t family) const {
  const OpenFile& file = open_[entry.file];
  const double draw = unit_draw(QuickHash().add(file.salt).add(entry.node).add(family).finish());
  // The likeliest candidate of nearly every site comes before the fourth of any.
  return static_cast<float>(file.functions[entry.function].weight * (0.4 + 0.6 * draw) /
                            (1 + entry.rank));
}

void Frontier::reorder(const Learning& learning) {
  ordered_for_ = learning.version();
  for (OpenFile& file : open_) {
    for (FunctionInfo& function : file.functions) {
      function.weight = learning.function_weight(function.hash, function.name);
    }
  }
  for (std::size_t family = 0; family < queues_.size(); ++family) {
    for (Entry& entry : queues_[family]) entry.urgency = urgency_of(entry, family);
    std::make_heap(queues_[family].begin(), queues_[family].end());
  }
}

std::optional<std::size_t> Frontier::choose_family(const Learning& learning) {
  std::optional<std::size_t> chosen;
  double total = 0;
  for (std::size_t family = 0; family < queues_.size(); ++family) {
    if (queues_[family].empty()) continue;
    const double weight = learning.family_weight(family);
    total += weight;
    turns_[family] += weight;
    if (!chosen || turns_[family] > turns_[*chosen]) chosen = family;
  }
  if (chosen) turns_[*chosen] -= total;
  return chosen;
}

Result<std::optional<EditDraft>> Frontier::take(std::size_t family, const Entry& entry,
                                                Follow follow, Workshop& workshop) {
  const OpenFile& file = open_[entry.file];
  auto source = INSTAR_TRY(workshop.sources.get(workshop.parser, file.entry));
  Candidates candidates;
  families()[family]->enumerate({*source, entry.node}, candidates);
  if (entry.rank >= candidates.all().size()) return std::optional<EditDraft>{};
  if (follow == Follow::kQueue && entry.rank + 1 < candidates.all().size()) {
    Entry following = entry;
    ++following.rank;
    following.urgency = urgency_of(following, family);
    queues_[family].push_back(following);
    std::push_heap(queues_[family].begin(), queues_[family].end());
  }
  return std::optional(make_edit_draft(file.entry.path, std::move(source), entry.node, family,
                                       file.functions[entry.function].hash,
                                       candidates.all()[entry.rank]));
}

bool Frontier::admissible(const EditDraft& draft, Parser& parser) {
  const Candidate& candidate = draft.candidate;
  const SyntaxTree& tree = draft.file->tree();
  const std::string_view before =
      tree.text().substr(candidate.begin, candidate.end - candidate.begin);
  return before != candidate.text && draft.file->may_change(candidate.begin, candidate.end) &&
         results_.insert(result_hash(draft.path, tree.text(), candidate)).second &&
         parser.parses_with(tree, candidate.begin, candidate.end, candidate.text);
}

Result<std::optional<EditDraft>> Frontier::draw(std::size_t family, Workshop& workshop) {
  auto& queue = queues_[family];
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    const Entry entry = queue.back();
    queue.pop_back();
    auto draft = INSTAR_TRY(take(family, entry, Follow::kQueue, workshop));
    if (!draft) continue;
    const auto tried = workshop.tried.find(draft->place);
    if (tried != workshop.tried.end() && tried->second != number_) {
      deferred_.push_back({family, entry});
      continue;
    }
    if (admissible(*draft, workshop.parser)) return draft;
  }
  return std::optional<EditDraft>{};
}

Result<std::optional<EditDraft>> Frontier::draw_deferred(Workshop& workshop) {
  while (!deferred_.empty()) {
    const Deferred one = deferred_.front();
    deferred_.pop_front();
    auto draft = INSTAR_TRY(take(one.family, one.entry, Follow::kLeave, workshop));
    if (draft && admissible(*draft, workshop.parser)) return draft;
  }
  return std::optional<EditDraft>{};
}

Result<std::optional<EditDraft>> Frontier::next(Workshop& workshop) {
  INSTAR_CHECK(open_files(workshop));
  if (ordered_for_ != workshop.learning.version()) reorder(workshop.learning);
  std::optional<EditDraft> draft;
  if (drafts_ % kDraftsPerDeferred == 0) draft = INSTAR_TRY(draw_deferred(workshop));
  while (!draft) {
    if (const auto family = choose_family(workshop.learning)) {
      draft = INSTAR_TRY(draw(*family, workshop));
    } else if (!waiting_.empty()) {
      INSTAR_CHECK(open_one(workshop));
    } else {
      draft = INSTAR_TRY(draw_deferred(workshop));
      break;
    }
  }
  if (draft) remember(*draft, workshop);
  return draft;
}

void Frontier::remember(const EditDraft& draft, Workshop& workshop) {
  ++drafts_;
  if (workshop.leading) workshop.tried.emplace(draft.place, number_);
}

Result<std::optional<std::uint32_t>> Frontier::open_path(const std::string& path,
                                                         Workshop& workshop) {
  INSTAR_CHECK(open_files(workshop));
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const auto& entry) { return entry.path == path; });
  if (waiting != waiting_.end()) {
    std::rotate(waiting, waiting + 1, waiting_.end());
    INSTAR_CHECK(open_one(workshop));
  }
  for (std::uint32_t number = 0; number < open_.size(); ++number) {
    if (open_[number].entry.path == path) return std::optional(number);
  }
  return std::optional<std::uint32_t>{};
}

Result<std::optional<EditDraft>> Frontier::repeat(const Gain& gain, Workshop& workshop) {
  const auto number = INSTAR_TRY(open_path(gain.path, workshop));
  if (!number) return std::optional<EditDraft>{};
  const auto source = INSTAR_TRY(workshop.sources.get(workshop.parser, open_[*number].entry));
  const Family& family = *families()[gain.family];
  for (NodeId node = 1; node < source->tree().nodes().size(); ++node) {
    const Node& self = source->tree().at(node);
    if (self.broken || self.has_error || !family.applies({*source, node})) continue;
    const std::string_view name = source->function_name(source->function_of(node));
    if (function_hash(gain.path, name) != gain.function) continue;
    Candidates candidates;
    family.enumerate({*source, node}, candidates);
    for (const Candidate& candidate : candidates.all()) {
      EditDraft draft =
          make_edit_draft(gain.path, source, node, gain.family, gain.function, candidate);
      if (draft.place != gain.place || !admissible(draft, workshop.parser)) continue;
      remember(draft, workshop);
      return std::optional(std::move(draft));
    }
  }
  return std::optional<EditDraft>{};
}

}  // namespace instar::engine
