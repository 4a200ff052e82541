#include "isolation/output_broker.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

Result<Fd> open_root(const std::filesystem::path& root) {
  return open_file(root, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

/// Names are taken by their parts: `a/`, `./a` and `a//b` would be resolved by rules of their own.
bool is_plain(std::string_view name) {
  if (name.empty() || name.size() > 4096 || name.find('\0') != std::string_view::npos) return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

/// Opens a regular file with one link beneath `root`, through nothing that leads elsewhere.
Result<Fd> open_beneath(int root, const std::string& name, std::uint64_t& size) {
  if (!is_plain(name)) {
    return fail(ErrorCode::kRefused, name + " is not a plain relative path");
  }
  // O_NONBLOCK: opening a FIFO, or a file under a lease, must not wait for the other side.
  const open_how how{
      .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
      .mode = 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
  Fd fd(static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how)));
  if (!fd.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return fail(ErrorCode::kNotFound, name + " is missing");
    }
    if (errno == ELOOP) {
      return fail(ErrorCode::kRefused, name + " is a symlink or lies behind one");
    }
    if (errno == EXDEV || errno == EACCES || errno == ENXIO || errno == EWOULDBLOCK) {
      Error error = Error::system(name + " cannot be opened", errno);
      error.code = ErrorCode::kRefused;
      return fail(std::move(error));
    }
    return fail(Error::system("cannot open " + name, errno));
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail(Error::system("cannot stat " + name, errno));
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::kRefused, name + " is not a regular file");
  if (info.st_nlink != 1) {
    return fail(ErrorCode::kRefused, name + " has another name elsewhere (a hard link)");
  }
  size = static_cast<std::uint64_t>(info.st_size);
  return fd;
}

Result<std::string> read_in(int root, const std::string& name, std::uint64_t max_bytes) {
  std::uint64_t size = 0;
  const Fd fd = INSTAR_TRY(open_beneath(root, name, size));
  if (size > max_bytes) {
    return fail(ErrorCode::kRefused, name + " is larger than the " + std::to_string(max_bytes) +
                                         " bytes that may still leave");
  }
  return read_all(fd.get(), size, name);
}

struct Listing {
  const BrokerCaps& caps;
  std::vector<std::string> files;

  Result<void> walk(OpenDir& directory, const std::string& prefix, std::uint64_t depth) {
    while (const dirent* entry = directory.next()) {
      struct stat info {};
      const std::string path = prefix + entry->d_name;
      if (::fstatat(directory.fd(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return fail(Error::system("cannot stat " + path, errno));
      }
      if (S_ISREG(info.st_mode)) {
        if (files.size() >= caps.files) return too_much("files", caps.files);
        files.push_back(path);
      } else if (S_ISDIR(info.st_mode)) {
        if (depth >= std::min<std::uint64_t>(caps.depth, kDeepestTree)) {
          return too_much("nested directories", caps.depth);
        }
        auto below = INSTAR_TRY(OpenDir::open_at(directory.fd(), entry->d_name));
        INSTAR_CHECK(walk(below, path + "/", depth + 1));
      }
    }
    return {};
  }

  static tl::unexpected<Error> too_much(const char* what, std::uint64_t cap) {
    return fail(ErrorCode::kRefused,
                "there are more than " + std::to_string(cap) + " " + what + " in the workspace");
  }
};

}  // namespace

Result<std::string> read_beneath(const std::filesystem::path& root, const std::string& name,
                                 std::uint64_t max_bytes) {
  const Fd directory = INSTAR_TRY(open_root(root));
  return read_in(directory.get(), name, max_bytes);
}

std::vector<OutputFile> collect_outputs(const std::filesystem::path& root,
                                        const std::vector<std::string>& names,
                                        const BrokerCaps& caps) {
  std::vector<OutputFile> outputs;
  if (names.empty()) return outputs;
  const auto directory = open_root(root);
  std::uint64_t bytes_left = caps.bytes;
  std::uint64_t files_left = caps.files;
  for (const auto& name : names) {
    OutputFile output{.path = name, .bytes = {}, .refused = {}};
    auto content = directory ? read_in(directory->get(), name, bytes_left)
                             : Result<std::string>(fail(directory.error()));
    if (content && files_left == 0) {
      output.refused = "there are more outputs than the " + std::to_string(caps.files) + " allowed";
    } else if (content) {
      --files_left;
      bytes_left -= content->size();
      output.bytes = *std::move(content);
    } else {
      output.refused = content.error().message;
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<std::vector<std::string>> list_files(const std::filesystem::path& root,
                                            const BrokerCaps& caps) {
  OpenDir top = INSTAR_TRY(OpenDir::open(root.string()));
  Listing listing{.caps = caps, .files = {}};
  INSTAR_CHECK(listing.walk(top, "", 0));
  std::sort(listing.files.begin(), listing.files.end());
  return std::move(listing.files);
}

Result<std::map<std::string, Digest>> hash_files(const std::filesystem::path& root,
                                                 const std::vector<std::string>& paths,
                                                 const BrokerCaps& caps) {
  const Fd directory = INSTAR_TRY(open_root(root));
  std::map<std::string, Digest> digests;
  std::uint64_t bytes_left = caps.bytes;
  for (const auto& path : paths) {
    auto content = read_in(directory.get(), path, bytes_left);
    if (!content) continue;
    bytes_left -= content->size();
    digests.emplace(path, sha256(*content));
  }
  return digests;
}

}  // namespace instar::isolation
