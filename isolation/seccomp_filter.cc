#include "isolation/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/fd.h"
#include "isolation/memory_file.h"

namespace instar::isolation {

namespace {

using Context = std::unique_ptr<void, decltype(&::seccomp_release)>;

struct RefusedFamily {
  std::string_view reason;  ///< the attack it stops
  int answer;               ///< the errno the caller gets
  std::span<const char* const> calls;
};

// ENOSYS where a library falls back to an older call, EPERM elsewhere.
constexpr const char* kUring[] = {"io_uring_setup", "io_uring_enter", "io_uring_register"};
constexpr const char* kOthersMemory[] = {"ptrace",
                                         "process_vm_readv",
                                         "process_vm_writev",
                                         "process_madvise",
                                         "process_mrelease",
                                         "pidfd_getfd",
                                         "kcmp"};
constexpr const char* kInspection[] = {"bpf", "perf_event_open", "userfaultfd", "lookup_dcookie",
                                       "syslog"};
constexpr const char* kKeyring[] = {"keyctl", "add_key", "request_key"};
constexpr const char* kMounts[] = {"mount",      "umount2",   "pivot_root",   "chroot",
                                   "fsopen",     "fspick",    "fsconfig",     "fsmount",
                                   "move_mount", "open_tree", "mount_setattr"};
constexpr const char* kNamespaces[] = {"unshare", "setns"};
constexpr const char* kModules[] = {"kexec_load", "kexec_file_load", "init_module", "finit_module",
                                    "delete_module"};
constexpr const char* kHandles[] = {"open_by_handle_at", "name_to_handle_at", "fanotify_init",
                                    "fanotify_mark"};
constexpr const char* kMachine[] = {"quotactl", "quotactl_fd",  "acct",          "swapon",
                                    "swapoff",  "reboot",       "sethostname",   "setdomainname",
                                    "vhangup",  "settimeofday", "clock_settime", "clock_adjtime",
                                    "adjtimex", "iopl",         "ioperm",        "modify_ldt",
                                    "uselib",   "_sysctl",      "nfsservctl",    "sysfs"};
constexpr const char* kOutlives[] = {"shmget",    "semget",       "msgget",          "shmat",
                                     "shmctl",    "semctl",       "semop",           "semtimedop",
                                     "msgctl",    "msgsnd",       "msgrcv",          "mq_open",
                                     "mq_notify", "mq_timedsend", "mq_timedreceive", "mq_unlink"};
constexpr const char* kNamedSockets[] = {"connect", "bind", "listen", "accept", "accept4"};
constexpr const char* kClone3[] = {"clone3"};
constexpr const char* kWatches[] = {"inotify_init", "inotify_init1", "inotify_add_watch"};

constexpr RefusedFamily kFamilies[] = {
    {"makes sockets and opens files behind the filter's back", ENOSYS, kUring},
    {"reads, writes or steers another process", EPERM, kOthersMemory},
    {"kernel surface that no build or test needs, with a record of escapes", EPERM, kInspection},
    {"keyrings are shared beyond the cell", EPERM, kKeyring},
    {"changes what paths mean", EPERM, kMounts},
    {"a new namespace brings capabilities and kernel surface", EPERM, kNamespaces},
    {"its flags are invisible to the filter; the C library falls back to clone", ENOSYS, kClone3},
    {"changes the running kernel", EPERM, kModules},
    {"opens files by number, past every path rule, or watches the whole file system", EPERM,
     kHandles},
    {"changes the machine for everybody", EPERM, kMachine},
    {"System V IPC and POSIX queues outlive the cell and reach the next one", EPERM, kOutlives},
    {"path sockets of the host (container engines, agents, message buses) are not under Landlock's "
     "rules, and a name taken in its place would be answered to by the cell; socketpair works",
     EACCES, kNamedSockets},
    {"tells the names that the host uses in directories which the cell cannot list; programs fall "
     "back to polling",
     ENOSYS, kWatches},
};

/// Calls that steer a process which is named by a number, and where to find the number. The kernel
/// asks for no more than the same user, and Landlock for nothing: a cell of a shared user could
/// take the launcher's descriptors or CPU time. 0 is the caller itself.
struct SelfOnly {
  const char* name;
  unsigned argument;
};
constexpr SelfOnly kSelfOnly[] = {
    {"sched_setaffinity", 0}, {"sched_setscheduler", 0}, {"sched_setparam", 0},
    {"sched_setattr", 0},     {"migrate_pages", 0},      {"move_pages", 0},
    {"get_robust_list", 0},   {"setpriority", 1},        {"ioprio_set", 1},
};

/// Adds a rule for a call by name. One that this libseccomp or architecture does not know cannot be
/// called either: unknown numbers are answered by the prelude.
template <class... Compare>
Result<void> refuse(const Context& context, int answer, const char* name, Compare... compare) {
  const int number = ::seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return {};
  const int status = ::seccomp_rule_add(context.get(), SCMP_ACT_ERRNO(answer), number,
                                        sizeof...(compare), compare...);
  if (status != 0) {
    return fail(Error::system(std::string("cannot filter the system call ") + name, -status));
  }
  return {};
}

/// The kernel looks at 32 bits of these arguments, so the filter does too: set upper bits would
/// slip past a comparison of 64.
scmp_arg_cmp low_bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value);
}

Result<void> refuse_sockets(const Context& context) {
  for (const char* call : {"socket", "socketpair"}) {
    INSTAR_CHECK(
        refuse(context, EAFNOSUPPORT, call, SCMP_CMP(0, SCMP_CMP_NE, scmp_datum_t{AF_UNIX})));
    // A datagram socket sends to any path or abstract name without connect.
    for (const int type : {SOCK_DGRAM, SOCK_RAW}) {
      INSTAR_CHECK(refuse(context, EPROTONOSUPPORT, call,
                          SCMP_CMP(0, SCMP_CMP_EQ, scmp_datum_t{AF_UNIX}),
                          low_bits(1, 0xF, static_cast<scmp_datum_t>(type))));
    }
  }
  return {};
}

Result<void> refuse_by_argument(const Context& context) {
  for (const scmp_datum_t flag :
       {scmp_datum_t{CLONE_NEWNS}, scmp_datum_t{CLONE_NEWCGROUP}, scmp_datum_t{CLONE_NEWUTS},
        scmp_datum_t{CLONE_NEWIPC}, scmp_datum_t{CLONE_NEWUSER}, scmp_datum_t{CLONE_NEWPID},
        scmp_datum_t{CLONE_NEWNET}}) {
    INSTAR_CHECK(refuse(context, EPERM, "clone", low_bits(0, flag, flag)));
  }
  // Pushing characters into a terminal types commands for its user.
  constexpr scmp_datum_t kTiocsti = 0x5412;
  constexpr scmp_datum_t kTioclinux = 0x541C;
  for (const scmp_datum_t request : {kTiocsti, kTioclinux}) {
    INSTAR_CHECK(refuse(context, EPERM, "ioctl", low_bits(1, 0xFFFFFFFF, request)));
  }
  // Core scheduling is changed for a process that is named by a number.
  constexpr scmp_datum_t kPrSchedCore = 62;
  INSTAR_CHECK(refuse(context, EPERM, "prctl", low_bits(0, 0xFFFFFFFF, kPrSchedCore)));
  // Asking is allowed; a changed personality weakens the memory layout or changes path lookup.
  return refuse(context, EPERM, "personality", SCMP_CMP(0, SCMP_CMP_NE, scmp_datum_t{0xFFFFFFFF}));
}

/// A comparison of 64 bits: with 0 in the low half and more above, it refuses what the kernel would
/// take for the caller itself.
scmp_arg_cmp is_not_zero(unsigned argument) { return SCMP_CMP(argument, SCMP_CMP_NE, 0); }

Result<void> refuse_steering_others(const Context& context) {
  for (const SelfOnly& call : kSelfOnly) {
    INSTAR_CHECK(refuse(context, EPERM, call.name, is_not_zero(call.argument)));
  }
  // Asking for another one's limits is harmless; new ones kill it or take its descriptors.
  INSTAR_CHECK(refuse(context, EPERM, "prlimit64", is_not_zero(0), is_not_zero(2)));
  // Here 0 is every process of the user.
  constexpr scmp_datum_t kPrioUser = 2;
  constexpr scmp_datum_t kIoprioUser = 3;
  INSTAR_CHECK(refuse(context, EPERM, "setpriority", low_bits(0, 0xFFFFFFFF, kPrioUser)));
  INSTAR_CHECK(refuse(context, EPERM, "ioprio_set", low_bits(0, 0xFFFFFFFF, kIoprioUser)));
  // The owner of a descriptor gets a signal of the cell's choice, from the kernel.
  constexpr scmp_datum_t kSetOwn = 8;
  constexpr scmp_datum_t kSetOwnEx = 15;
  for (const scmp_datum_t command : {kSetOwn, kSetOwnEx}) {
    INSTAR_CHECK(refuse(context, EPERM, "fcntl", low_bits(1, 0xFFFFFFFF, command)));
  }
  constexpr scmp_datum_t kFioSetOwn = 0x8901;
  constexpr scmp_datum_t kSiocSpgrp = 0x8902;
  for (const scmp_datum_t request : {kFioSetOwn, kSiocSpgrp}) {
    INSTAR_CHECK(refuse(context, EPERM, "ioctl", low_bits(1, 0xFFFFFFFF, request)));
  }
  return {};
}

/// The content of two files, exchanged below the file's times: what a seal is watched by.
Result<void> refuse_exchanges(const Context& context) {
  constexpr scmp_datum_t kExt4MoveExtents = 0xC028660F;
  constexpr scmp_datum_t kXfsSwapExtents = 0xC0C0586D;
  constexpr scmp_datum_t kXfsExchangeRange = 0x40285881;
  constexpr scmp_datum_t kF2fsMoveRange = 0xC020F509;
  for (const scmp_datum_t request :
       {kExt4MoveExtents, kXfsSwapExtents, kXfsExchangeRange, kF2fsMoveRange}) {
    INSTAR_CHECK(refuse(context, EPERM, "ioctl", low_bits(1, 0xFFFFFFFF, request)));
  }
  return {};
}

Result<void> shield(const Context& context, pid_t pid) {
  const auto number = static_cast<scmp_datum_t>(static_cast<std::uint32_t>(pid));
  const auto group = static_cast<scmp_datum_t>(static_cast<std::uint32_t>(-pid));
  INSTAR_CHECK(refuse(context, EPERM, "kill", low_bits(0, 0xFFFFFFFF, group)));
  for (const char* call :
       {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"}) {
    INSTAR_CHECK(refuse(context, EPERM, call, low_bits(0, 0xFFFFFFFF, number)));
  }
  return {};
}

Result<void> add_rules(const Context& context, const FilterOptions& options) {
  for (const RefusedFamily& family : kFamilies) {
    for (const char* call : family.calls) INSTAR_CHECK(refuse(context, family.answer, call));
  }
  INSTAR_CHECK(refuse_sockets(context));
  INSTAR_CHECK(refuse_by_argument(context));
  INSTAR_CHECK(refuse_steering_others(context));
  INSTAR_CHECK(refuse_exchanges(context));
  if (options.refuse_truncate) INSTAR_CHECK(refuse(context, EPERM, "truncate"));
  if (!options.shielded.empty()) {
    INSTAR_CHECK(refuse(context, EPERM, "kill", low_bits(0, 0xFFFFFFFF, 0xFFFFFFFF)));
  }
  for (const pid_t pid : options.shielded) INSTAR_CHECK(shield(context, pid));
  return {};
}

/// Put before libseccomp's program: a call newer than the table above, which nobody has judged,
/// answers as on an older kernel. A foreign architecture falls through to libseccomp's own check.
/// uretprobe and uprobe (335 and 336 on x86-64) the kernel lets past every filter; they answer only
/// to code that it put there itself.
void prepend_unknown_calls(Filter& filter) {
#if defined(__x86_64__)
  constexpr std::uint32_t kNative = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr std::uint32_t kNative = AUDIT_ARCH_AARCH64;
#else
#error "the filter has not been judged for this architecture"
#endif
  constexpr std::uint32_t kFirstUnjudged = 457;  // after futex_requeue of Linux 6.7
  constexpr std::uint32_t kX32Bit = 0x40000000;
  const sock_filter prelude[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNative, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstUnjudged, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  filter.insert(filter.begin(), std::begin(prelude), std::end(prelude));
}

}  // namespace

Result<Filter> compile_filter(const FilterOptions& options) {
  const Context context(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release);
  if (!context) return fail(ErrorCode::kHostCannot, "libseccomp cannot build a filter here");
  // 32-bit and x32 calls have numbers of their own that the rules do not speak about.
  int status = ::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // A balanced tree instead of a list: every call of the cell goes through it.
  if (status == 0) status = ::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (status != 0) return fail(Error::system("cannot configure the system call filter", -status));
  INSTAR_CHECK(add_rules(context, options));

  const Fd file = INSTAR_TRY(make_memory_file("filter"));
  status = ::seccomp_export_bpf(context.get(), file.get());
  if (status != 0) return fail(Error::system("cannot export the system call filter", -status));
  const std::string bytes = INSTAR_TRY(read_memory_file(file.get(), 1 << 20));
  Filter filter(bytes.size() / sizeof(sock_filter));
  bytes.copy(reinterpret_cast<char*>(filter.data()), filter.size() * sizeof(sock_filter));
  prepend_unknown_calls(filter);
  return filter;
}

}  // namespace instar::isolation
