#include "isolation/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <span>

namespace instar::isolation {

namespace {

// The kernel's interface, spelled out here: headers of older distributions lack its later parts.
struct RulesetAttr {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathBeneathAttr {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
constexpr int kRulePathBeneath = 1;
constexpr std::uint32_t kCreateVersion = 1;

constexpr std::uint64_t kExecute = 1ULL << 0;
constexpr std::uint64_t kWriteFile = 1ULL << 1;
constexpr std::uint64_t kReadFile = 1ULL << 2;
constexpr std::uint64_t kReadDir = 1ULL << 3;
constexpr std::uint64_t kMakeChar = 1ULL << 6;
constexpr std::uint64_t kMakeBlock = 1ULL << 11;
constexpr std::uint64_t kAllOfAbi1 = (1ULL << 13) - 1;
constexpr std::uint64_t kRefer = 1ULL << 13;
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr std::uint64_t kIoctlDev = 1ULL << 15;
constexpr std::uint64_t kBindTcp = 1ULL << 0;
constexpr std::uint64_t kConnectTcp = 1ULL << 1;
constexpr std::uint64_t kScopeAbstractSocket = 1ULL << 0;
constexpr std::uint64_t kScopeSignal = 1ULL << 1;

std::uint64_t handled_by(int abi) {
  std::uint64_t rights = kAllOfAbi1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

std::uint64_t rights_of(FileAccess access) {
  switch (access) {
    case FileAccess::kRead:
      return kReadFile;
    case FileAccess::kReadExecute:
      return kExecute | kReadFile | kReadDir;
    case FileAccess::kReadTree:
      return kReadFile | kReadDir;
    case FileAccess::kReadWrite:
      return kReadFile | kWriteFile | kTruncate;
    case FileAccess::kFull:
      break;
  }
  // No device is ever made in a workspace: it would be a door around the file system.
  return (kAllOfAbi1 | kRefer | kTruncate) & ~(kMakeChar | kMakeBlock);
}

Result<void> add_places(int ruleset, std::uint64_t handled,
                        const std::vector<VisiblePlace>& places) {
  for (const VisiblePlace& place : places) {
    const PathBeneathAttr attr{.allowed_access = rights_of(place.access) & handled,
                               .parent_fd = place.fd.get()};
    if (::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &attr, 0) != 0) {
      return fail(Error::system("cannot add a Landlock rule", errno));
    }
  }
  return {};
}

struct SystemPlace {
  const char* path;
  FileAccess access;
};

// Programs and libraries, and of /etc only what the loader, the C library and interpreters need:
// no password hashes, no keys, no host names.
constexpr SystemPlace kSystemPlaces[] = {
    {"/usr", FileAccess::kReadExecute},
    {"/bin", FileAccess::kReadExecute},
    {"/sbin", FileAccess::kReadExecute},
    {"/lib", FileAccess::kReadExecute},
    {"/lib32", FileAccess::kReadExecute},
    {"/lib64", FileAccess::kReadExecute},
    {"/libx32", FileAccess::kReadExecute},
    {"/etc/alternatives", FileAccess::kReadExecute},
    {"/etc/ld.so.cache", FileAccess::kRead},
    {"/etc/ld.so.conf", FileAccess::kRead},
    {"/etc/ld.so.conf.d", FileAccess::kReadTree},
    {"/etc/passwd", FileAccess::kRead},
    {"/etc/group", FileAccess::kRead},
    {"/etc/nsswitch.conf", FileAccess::kRead},
    {"/etc/services", FileAccess::kRead},
    {"/etc/protocols", FileAccess::kRead},
    {"/etc/localtime", FileAccess::kRead},
    {"/etc/timezone", FileAccess::kRead},
    {"/etc/locale.alias", FileAccess::kRead},
    {"/etc/os-release", FileAccess::kRead},
    {"/etc/debian_version", FileAccess::kRead},
    {"/etc/mime.types", FileAccess::kRead},
    {"/etc/magic", FileAccess::kRead},
    {"/etc/python3", FileAccess::kReadTree},
    {"/etc/python3.11", FileAccess::kReadTree},
    {"/etc/perl", FileAccess::kReadTree},
    {"/etc/java-11-openjdk", FileAccess::kReadTree},
    {"/etc/java-17-openjdk", FileAccess::kReadTree},
    {"/etc/java-21-openjdk", FileAccess::kReadTree},
    {"/etc/java-25-openjdk", FileAccess::kReadTree},
    {"/etc/fonts", FileAccess::kReadTree},
    {"/etc/ssl/openssl.cnf", FileAccess::kRead},
    {"/dev/null", FileAccess::kReadWrite},
    {"/dev/zero", FileAccess::kReadWrite},
    {"/dev/full", FileAccess::kReadWrite},
    {"/dev/random", FileAccess::kRead},
    {"/dev/urandom", FileAccess::kRead},
};

constexpr SystemPlace kRootPlaces[] = {
    {"/", FileAccess::kReadExecute},         {"/dev/null", FileAccess::kReadWrite},
    {"/dev/zero", FileAccess::kReadWrite},   {"/dev/full", FileAccess::kReadWrite},
    {"/dev/random", FileAccess::kReadWrite}, {"/dev/urandom", FileAccess::kReadWrite},
};

/// What does not exist is left out.
Result<std::vector<VisiblePlace>> open_places(std::span<const SystemPlace> places) {
  std::vector<VisiblePlace> view;
  for (const SystemPlace& place : places) {
    Fd fd(::open(place.path, O_PATH | O_CLOEXEC));
    if (!fd.valid() && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) continue;
    if (!fd.valid()) return fail(Error::system(std::string("cannot open ") + place.path, errno));
    // A rule for directories on something that is none is refused by the kernel.
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) {
      return fail(Error::system(std::string("cannot stat ") + place.path, errno));
    }
    const bool wants_directory =
        place.access == FileAccess::kReadExecute || place.access == FileAccess::kReadTree;
    if (wants_directory != S_ISDIR(info.st_mode)) continue;
    view.push_back({.fd = std::move(fd), .access = place.access});
  }
  return view;
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

Result<Fd> make_ruleset(int abi, const std::vector<VisiblePlace>& system,
                        const std::vector<VisiblePlace>& own) {
  RulesetAttr attr{.handled_access_fs = handled_by(abi), .handled_access_net = 0, .scoped = 0};
  std::size_t size = sizeof attr.handled_access_fs;
  if (abi >= 4) {
    attr.handled_access_net = kBindTcp | kConnectTcp;
    size = 2 * sizeof(std::uint64_t);
  }
  if (abi >= 6) {
    attr.scoped = kScopeAbstractSocket | kScopeSignal;
    size = sizeof attr;
  }
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attr, size, 0)));
  if (!ruleset.valid()) return fail(Error::system("cannot create a Landlock ruleset", errno));
  INSTAR_CHECK(add_places(ruleset.get(), attr.handled_access_fs, system));
  INSTAR_CHECK(add_places(ruleset.get(), attr.handled_access_fs, own));
  return ruleset;
}

Result<std::vector<VisiblePlace>> open_system_view() { return open_places(kSystemPlaces); }

Result<std::vector<VisiblePlace>> open_root_view() { return open_places(kRootPlaces); }

std::vector<std::string> visible_host_directories() {
  std::vector<std::string> directories;
  for (const SystemPlace& place : kSystemPlaces) {
    if (place.access == FileAccess::kReadExecute || place.access == FileAccess::kReadTree) {
      directories.emplace_back(place.path);
    }
  }
  return directories;
}

}  // namespace instar::isolation
