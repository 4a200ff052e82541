#include "isolation/cell_root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "isolation/mounts.h"

namespace instar::isolation {

namespace {

// Symlinks of a merged /usr stay that; directories are shown.
constexpr const char* kTrees[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

// Of /etc only what the loader, the C library and interpreters need, as the host has it.
constexpr const char* kEtcTrees[] = {
    "alternatives",    "ld.so.conf.d",    "python3",         "python3.11",      "perl",
    "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk", "fonts"};
constexpr const char* kEtcFiles[] = {
    "ld.so.cache",  "ld.so.conf", "services",       "protocols",  "localtime", "timezone",
    "locale.alias", "os-release", "debian_version", "mime.types", "magic",     "ssl/openssl.cnf"};

struct MadeFile {
  const char* name;
  const char* content;
};
constexpr MadeFile kMadeFiles[] = {
    {"passwd",
     "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
     "cell:x:1000:1000:cell:/home:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
    {"group", "root:x:0:\ncell:x:1000:\nnogroup:x:65534:\n"},
    {"hosts", "127.0.0.1 localhost\n::1 localhost\n"},
    {"hostname", "cell\n"},
    {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
    {"resolv.conf", ""},
};

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};
struct Link {
  const char* text;
  const char* name;
};
constexpr Link kDeviceLinks[] = {{"/proc/self/fd", "fd"},
                                 {"/proc/self/fd/0", "stdin"},
                                 {"/proc/self/fd/1", "stdout"},
                                 {"/proc/self/fd/2", "stderr"}};

constexpr std::size_t kLargestEtcFile = std::size_t{4} << 20;
constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

struct Shown {
  Fd mount;
  std::string at;  ///< path in the new root
};

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return fail(Error::system("cannot make the directory " + path, errno));
}

Result<void> make_file(const std::string& path, std::string_view content) {
  const Fd file = INSTAR_TRY(open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0644));
  return write_all(file.get(), content, path);
}

Result<void> make_link(const std::string& text, const std::string& path) {
  if (::symlink(text.c_str(), path.c_str()) == 0) return {};
  return fail(Error::system("cannot make the symlink " + path, errno));
}

/// Everything of the host that is to be seen, taken before the new root covers it.
class HostView {
 public:
  static Result<HostView> take(const std::string& scratch) {
    HostView view;
    INSTAR_CHECK(view.add("/usr", "/usr", kReadOnly));
    for (const char* tree : kTrees) INSTAR_CHECK(view.add_tree(tree));
    for (const char* tree : kEtcTrees) {
      const std::string path = std::string("/etc/") + tree;
      if (is_directory(path)) INSTAR_CHECK(view.add(path, path, kReadOnly | MOUNT_ATTR_NOEXEC));
    }
    for (const char* device : kDevices) {
      const std::string path = std::string("/dev/") + device;
      INSTAR_CHECK(view.add(path, path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
    }
    // The launcher looks at its cells there; each cell covers it by one of its own.
    INSTAR_CHECK(view.add("/proc", "/proc", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    INSTAR_CHECK(view.add(scratch, cell_path::kScratch, kReadOnly));
    for (const char* name : kEtcFiles) {
      auto content = read_file(std::string("/etc/") + name, kLargestEtcFile);
      if (content) view.files_.emplace_back(name, *std::move(content));
    }
    return view;
  }

  Result<void> lay_out(const std::string& root) const {
    for (const char* name : {"/usr", "/etc", "/etc/ssl", "/dev", "/proc"}) {
      INSTAR_CHECK(make_directory(root + name));
    }
    for (const auto& [name, content] : files_) {
      INSTAR_CHECK(make_file(root + "/etc/" + name, content));
    }
    for (const auto& [text, path] : links_) INSTAR_CHECK(make_link(text, root + path));
    for (const Shown& shown : shown_) {
      const std::string at = root + shown.at;
      INSTAR_CHECK(shown.at.starts_with("/dev/") ? make_file(at, "") : make_directory(at));
      INSTAR_CHECK(attach_mount(shown.mount.get(), at));
    }
    return {};
  }

 private:
  Result<void> add(const std::string& path, const std::string& at, std::uint64_t attributes) {
    Fd mount = INSTAR_TRY(clone_mount(path));
    INSTAR_CHECK(set_mount_attributes(mount.get(), attributes));
    shown_.push_back({.mount = std::move(mount), .at = at});
    return {};
  }

  Result<void> add_tree(const std::string& path) {
    std::string text(4096, '\0');
    const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
    if (length > 0) {
      text.resize(static_cast<std::size_t>(length));
      links_.emplace_back(text, path);
      return {};
    }
    return is_directory(path) ? add(path, path, kReadOnly) : Result<void>();
  }

  std::vector<Shown> shown_;
  std::vector<std::pair<std::string, std::string>> links_;  ///< text, path
  std::vector<std::pair<std::string, std::string>> files_;  ///< name in /etc, content
};

Result<void> fill(const std::string& root, const HostView& host) {
  INSTAR_CHECK(make_directory(root + cell_path::kHost));
  INSTAR_CHECK(mount_new("tmpfs", root + cell_path::kHost, "mode=0755,size=4m"));
  for (const char* path : {cell_path::kScratch, cell_path::kWorkspaces, cell_path::kCell,
                           cell_path::kHostProc, "/.host/old"}) {
    INSTAR_CHECK(make_directory(root + path));
  }
  INSTAR_CHECK(host.lay_out(root));
  for (const MadeFile& file : kMadeFiles) {
    INSTAR_CHECK(make_file(root + "/etc/" + file.name, file.content));
  }
  for (const Link& link : kDeviceLinks) {
    INSTAR_CHECK(make_link(link.text, root + "/dev/" + link.name));
  }
  for (const char* path :
       {cell_path::kWork, cell_path::kHome, cell_path::kTemp, cell_path::kOut, cell_path::kShm}) {
    INSTAR_CHECK(make_directory(root + path));
  }
  return {};
}

Result<void> enter(const std::string& root) {
  const std::string old = root + "/.host/old";
  if (::syscall(SYS_pivot_root, root.c_str(), old.c_str()) != 0 || ::chdir("/") != 0) {
    Error error = Error::system("cannot change to the root of the cells", errno);
    error.code = ErrorCode::kHostCannot;
    return fail(std::move(error));
  }
  INSTAR_CHECK(detach_mount("/.host/old"));
  // The root alone: what is mounted below has what it needs.
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &change, sizeof change) != 0) {
    return fail(Error::system("cannot make the root of the cells read-only", errno));
  }
  return {};
}

}  // namespace

Result<void> enter_cell_root(const std::filesystem::path& scratch) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return fail(Error::system("cannot keep mounts from the host", errno));
  }
  ::umask(022);
  const HostView host = INSTAR_TRY(HostView::take(scratch.string()));
  // Any directory does as the place to build it: only this process sees it.
  const std::string root = scratch.string();
  INSTAR_CHECK(mount_new("tmpfs", root, "mode=0755,size=16m"));
  INSTAR_CHECK(fill(root, host));
  return enter(root);
}

}  // namespace instar::isolation
