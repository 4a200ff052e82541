#include "engine/evaluation/sealed_links.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <optional>

#include "base/fd.h"
#include "base/text.h"
#include "engine/evaluation/entry_list.h"
#include "isolation/beneath.h"

namespace instar::engine {

namespace {

/// As many as the kernel follows before it says ELOOP.
constexpr int kMostLinks = 40;

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string below(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

class LinkWalk {
 public:
  LinkWalk(int root, const std::string& link, const Covers& covers)
      : root_(root), link_(link), covers_(covers), at_(parent_of(link)), todo_{last_of(link)} {}

  Result<void> check() {
    for (int links = 0; !todo_.empty();) {
      const std::string part = std::move(todo_.front());
      todo_.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (at_.empty()) return refuse("leads out of the tree", {});
        at_ = parent_of(at_);
        continue;
      }
      at_ = below(at_, part);
      const auto text = INSTAR_TRY(text_of_link(at_));
      if (!text) continue;
      if (!covers_(at_)) return not_sealed(at_, at_);
      // A circle of sealed symlinks leads nowhere, and nobody can mend it.
      if (++links > kMostLinks) return {};
      if (text->starts_with('/')) return refuse("leads out of the tree", {});
      at_ = parent_of(at_);
      const auto parts = split(*text, '/');
      todo_.insert(todo_.begin(), parts.begin(), parts.end());
    }
    return check_target();
  }

 private:
  static std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

  /// What a symlink holds; nothing when the path is none, or missing.
  Result<std::optional<std::string>> text_of_link(const std::string& path) {
    const auto held = isolation::open_beneath(root_, path, O_PATH);
    if (!held && held.error().code == ErrorCode::kNotFound) return std::nullopt;
    if (!held) return fail(held.error());
    struct stat info {};
    if (::fstat(held->get(), &info) != 0) return fail(Error::system("cannot stat " + path, errno));
    if (!S_ISLNK(info.st_mode)) return std::nullopt;
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(held->get(), "", text.data(), text.size());
    if (length < 0) return fail(Error::system("cannot read the symlink " + path, errno));
    return std::string(text.data(), static_cast<std::size_t>(length));
  }

  [[nodiscard]] bool is_directory() const {
    return at_.empty() || isolation::open_beneath(root_, at_, O_PATH | O_DIRECTORY).has_value();
  }

  Result<void> check_target() {
    if (!is_directory()) return covers_(at_) ? Result<void>() : not_sealed(at_, at_);
    // Symlinks among them are sealed ones, and so checked by themselves.
    const std::string all = below(at_, "**");
    for (const std::string& entry : INSTAR_TRY(list_entries(root_, at_))) {
      if (!covers_(entry)) return not_sealed(entry, all);
    }
    if (!covers_(below(at_, "a name that nothing has yet"))) return not_sealed(all, all);
    return {};
  }

  Result<void> not_sealed(const std::string& path, const std::string& pattern) const {
    return refuse("leads to " + escape_for_terminal(path) +
                      ", which is not sealed: who may change that changes what is read here",
                  "seal `" + escape_for_terminal(pattern) + "` too, or ");
  }

  Result<void> refuse(const std::string& why, const std::string& fix) const {
    return fail(ErrorCode::kInvalidInput,
                "the sealed symlink " + escape_for_terminal(link_) + " " + why,
                fix + "leave the symlink out of `sealed`");
  }

  int root_;
  const std::string& link_;
  const Covers& covers_;
  std::string at_;  ///< where it has led so far: a path through no symlink; empty is the top
  std::deque<std::string> todo_;
};

}  // namespace

Result<void> check_sealed_link(int root, const std::string& link, const Covers& covers) {
  return LinkWalk(root, link, covers).check();
}

}  // namespace instar::engine
