#include "engine/generators/source_cache.h"

#include "engine/syntax/language.h"

namespace instar::engine {

namespace {

/// A parsed text takes some fifty times its size; 4 MiB of text is a large program.
constexpr std::size_t kMostBytes = 4 << 20;

}  // namespace

Result<std::shared_ptr<const SourceFile>> SourceCache::get(Parser& parser,
                                                           const checkpoints::TreeEntry& file) {
  const Language* language = language_for(file.path);
  const Key key{file.blob, language};
  if (const auto found = kept_.find(key); found != kept_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second.source;
  }
  std::string text = INSTAR_TRY(store_->read(file.blob));
  const std::size_t bytes = text.size();
  std::shared_ptr<const SourceFile> source;
  if (language != nullptr) {
    auto parsed = SourceFile::parse(parser, *language, std::move(text));
    if (parsed) {
      source = std::move(*parsed);
    } else if (parsed.error().code != ErrorCode::kInvalidInput) {
      return fail(parsed.error().while_doing("parsing " + file.path));
    }
  }
  uses_.push_front(key);
  kept_.emplace(key, Kept{source, uses_.begin(), source ? bytes : 0});
  bytes_ += source ? bytes : 0;
  while (bytes_ > kMostBytes && uses_.size() > 1) {
    const auto oldest = kept_.find(uses_.back());
    bytes_ -= oldest->second.bytes;
    kept_.erase(oldest);
    uses_.pop_back();
  }
  return source;
}

}  // namespace instar::engine
