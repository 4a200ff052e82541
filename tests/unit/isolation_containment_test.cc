#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include <chrono>

#include "tests/support/cell_harness.h"
#include "tests/support/process_marks.h"

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

TEST(Containment, DaemonsDieWithTheCellAndLiveWithoutTheSweep) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    const std::string daemon = "setsid sh -c '(sleep " + mark + " &)' & sleep 0.2; exit 0";
    EXPECT_EQ(CellHarness().sh(daemon).exit_code, 0);
    EXPECT_TRUE(find_by_mark(mark).empty());

    const std::string control = unique_sleep();
    CellHarness unswept({}, {Guard::kSweep});
    unswept.sh("setsid sh -c '(sleep " + control + " >/dev/null 2>&1 &)' & sleep 0.2; exit 0");
    const auto left = find_by_mark(control);
    EXPECT_EQ(left.size(), 1U);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  });
}

TEST(Containment, BroadcastSignalsReachNobodyOutside) {
  as_each_user([] {
    CellHarness cell;
    cell.python("import os; os.kill(-1, 9)");
    EXPECT_EQ(cell.sh("echo alive").out.head, "alive\n");  // launcher and engine are there
  });
}

TEST(Containment, TreeDiesWhenTheEngineIsKilled) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    // Ours, since an engine that is killed removes nothing.
    const TempDir place = TempDir::create("cell-killed").value();
    ::chmod(place.path().c_str(), 0711);
    const pid_t engine = ::fork();
    ASSERT_GE(engine, 0);
    if (engine == 0) {
      ::setenv("TMPDIR", place.path().c_str(), 1);
      CellHarness cell;
      CellSpec spec;
      spec.argv = {"sh", "-c", "setsid sleep " + mark + " & sleep " + mark};
      (void)cell.provider().run(spec, cell.workspace(), {});
      ::_exit(0);
    }
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (find_by_mark(mark).size() < 2 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_GE(find_by_mark(mark).size(), 2U);
    ::kill(engine, SIGKILL);
    ::waitpid(engine, nullptr, 0);
    while (!find_by_mark(mark).empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(find_by_mark(mark).empty());
  });
}

TEST(Containment, HostFilesAreShutAndTheWorkspaceIsOpen) {
  as_each_user([] {
    const TempDir secret_home = TempDir::create("cell-secret").value();
    ::chmod(secret_home.path().c_str(), 0755);
    const std::string secret = (secret_home.path() / "secret").string();
    std::ofstream(secret) << "hidden";
    ::chmod(secret.c_str(), 0644);  // by its mode anybody may read it

    CellHarness cell(CellHarness::Files{{"file", "open"}});
    EXPECT_EQ(cell.sh("cat file").out.head, "open");
    EXPECT_NE(cell.sh("cat " + secret).exit_code, 0);
    EXPECT_NE(cell.sh("cat /etc/shadow").exit_code, 0);
    EXPECT_NE(cell.sh("ls /proc").exit_code, 0);
    EXPECT_NE(cell.sh("echo x > /tmp/cell-test-out").exit_code, 0);
    EXPECT_EQ(cell.sh("echo x > inside && echo x > $TMPDIR/t && echo x > $HOME/h").exit_code, 0);
    EXPECT_EQ(CellHarness({}, {Guard::kLandlock}).sh("cat " + secret).out.head, "hidden");
  });
}

TEST(Containment, WorkspaceIsReadOnlyWhenAsked) {
  CellHarness cell(CellHarness::Files{{"file", "open"}});
  CellSpec spec;
  spec.argv = {"sh", "-c", "cat file && ! echo x > new && ! echo x > file && echo y > $TMPDIR/t"};
  spec.access = WorkspaceAccess::kReadOnly;
  EXPECT_EQ(cell.run(spec).exit_code, 0);
  spec.access = WorkspaceAccess::kWritable;
  spec.argv = {"sh", "-c", "echo x > new && echo x > file"};
  EXPECT_EQ(cell.run(spec).exit_code, 0);
}

TEST(Containment, SocketsAreRefusedWithAnErrno) {
  constexpr const char* kProbe =
      "import socket, errno\n"
      "def probe(*a):\n"
      "    try: socket.socket(*a); return 'ok'\n"
      "    except OSError as e: return errno.errorcode[e.errno]\n"
      "print(probe(socket.AF_INET, socket.SOCK_STREAM), probe(socket.AF_INET6, "
      "socket.SOCK_DGRAM),\n"
      "      probe(socket.AF_NETLINK, socket.SOCK_RAW), probe(socket.AF_UNIX, "
      "socket.SOCK_STREAM))\n"
      "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n";
  as_each_user([=] {
    EXPECT_EQ(CellHarness().python(kProbe).out.head,
              "EAFNOSUPPORT EAFNOSUPPORT EAFNOSUPPORT ok\nb'x'\n");
    const CellReport open = CellHarness({}, {Guard::kSeccomp}).python(kProbe);
    EXPECT_TRUE(open.out.head.starts_with("ok ok ok ok")) << open.out.head << open.err.head;
  });
}

TEST(Containment, NoSocketHasANameAndPairsWork) {
  constexpr const char* kProbe =
      "import errno, os, socket\n"
      "def worked(f, *args):\n"
      "    try: f(*args); return 'ok'\n"
      "    except OSError as e: return errno.errorcode[e.errno]\n"
      "abstract = '\\0' + os.environ['INSTAR_WORK']\n"
      "s = lambda kind: socket.socket(socket.AF_UNIX, kind)\n"
      "print(worked(s(socket.SOCK_STREAM).bind, abstract),\n"
      "      worked(s(socket.SOCK_SEQPACKET).bind, abstract),\n"
      "      worked(s(socket.SOCK_STREAM).bind, 'path'), worked(s(socket.SOCK_STREAM).listen, 1))\n"
      "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n";
  as_each_user([=] {
    EXPECT_EQ(CellHarness().python(kProbe).out.head, "EACCES EACCES EACCES EACCES\nb'x'\n");
    const std::string open = CellHarness({}, {Guard::kSeccomp}).python(kProbe).out.head;
    EXPECT_TRUE(open.starts_with("ok EADDRINUSE ok ") || open.starts_with("ok ok ok ")) << open;
  });
}

TEST(Containment, NamesInShutDirectoriesAreNotTold) {
  as_each_user([] {
    const TempDir place = TempDir::create("cell-names").value();
    ::chmod(place.path().c_str(), 0755);
    const std::string probe =
        "import ctypes\n"
        "libc = ctypes.CDLL(None)\n"
        "fd = libc.inotify_init1(0)\n"
        "print(libc.inotify_add_watch(fd, b'" +
        place.path().string() + "', 0xfff) >= 0)\n";
    EXPECT_EQ(CellHarness().python(probe).out.head, "False\n");
    EXPECT_EQ(CellHarness({}, {Guard::kSeccomp}).python(probe).out.head, "True\n");
  });
}

TEST(Containment, DangerousCallsAreRefused) {
  constexpr const char* kProbe =
      "import ctypes, os, errno\n"
      "libc = ctypes.CDLL(None, use_errno=True)\n"
      "def call(nr, *a):\n"
      "    r = libc.syscall(nr, *a)\n"
      "    return errno.errorcode[ctypes.get_errno()] if r < 0 else 'ok'\n"
      "def shared_memory():\n"
      "    segment = libc.syscall(29, 0, 4096, 0o600)\n"
      "    answer = errno.errorcode[ctypes.get_errno()] if segment < 0 else 'ok'\n"
      "    if segment >= 0: libc.syscall(31, segment, 0, 0)\n"  // it would outlive the test
      "    return answer\n"
      "print(call(101, 0, 0, 0, 0), call(272, 0x10000000), call(425, 1, 0), shared_memory(),\n"
      "      call(435, 0, 0), call(457, 0, 0), call(135, 0x0400000), call(250, 0, 0))\n";
#ifndef __x86_64__
  GTEST_SKIP() << "the numbers are those of x86-64";
#endif
  EXPECT_EQ(CellHarness().python(kProbe).out.head,
            "EPERM EPERM ENOSYS EPERM ENOSYS ENOSYS EPERM EPERM\n");
  const std::string open = CellHarness({}, {Guard::kSeccomp}).python(kProbe).out.head;
  EXPECT_TRUE(open.starts_with("ok ")) << open;  // PTRACE_TRACEME works without the filter
}

TEST(Containment, TheContentOfFilesIsNotExchangedBehindTheirTimes) {
  as_each_user([] {
    // Of a descriptor that is none: a call that goes through says so, one that is filtered does
    // not.
    const char* probe =
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def tell(request):\n"
        "    libc.ioctl(999, ctypes.c_ulong(request), 0)\n"
        "    return ctypes.get_errno()\n"
        "print([tell(r) for r in (0xC028660F, 0xC0C0586D, 0x40285881, 0xC020F509, 0x5401)])";
    EXPECT_EQ(CellHarness().python(probe).out.head, "[1, 1, 1, 1, 9]\n");
    EXPECT_EQ(CellHarness({}, {Guard::kSeccomp}).python(probe).out.head, "[9, 9, 9, 9, 9]\n");
  });
}

TEST(Containment, ForeignArchitectureIsAViolation) {
#ifndef __x86_64__
  GTEST_SKIP() << "the machine code is that of x86-64";
#endif
  // int 0x80 speaks the 32-bit numbers, which no rule knows.
  constexpr const char* kProbe =
      "import ctypes, mmap\n"
      "m = mmap.mmap(-1, 4096, prot=7)\n"
      "m.write(bytes([0xb8,0x14,0,0,0,0xcd,0x80,0xc3]))\n"
      "f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n"
      "print(f() > 0)\n";
  EXPECT_EQ(CellHarness().python(kProbe).outcome, Outcome::kViolated);
  const CellReport open = CellHarness({}, {Guard::kSeccomp}).python(kProbe);
  EXPECT_NE(open.outcome, Outcome::kViolated);
}

TEST(Containment, EnvironmentAndDescriptorsAreOnlyOurs) {
  as_each_user([] {
    ::setenv("SECRET_TOKEN", "hunter2", 1);
    const int leaked = ::open("/etc/passwd", O_RDONLY);  // without O_CLOEXEC
    constexpr const char* kShow =
        "env | cut -d= -f1 | sort | tr '\\n' ' '; i=3; while [ $i -lt 40 ]; do "
        "(: <&$i) 2>/dev/null && echo fd $i; i=$((i+1)); done; cat";
    CellHarness cell;
    CellSpec spec;
    spec.argv = {"sh", "-c", kShow};
    spec.env = {{.name = "ADDED", .value = "1"}};
    const CellReport report = cell.run(spec);
    EXPECT_EQ(report.out.head, "ADDED HOME INSTAR_OUT INSTAR_WORK LANG PATH PWD TMPDIR ")
        << report.err.head;
    const CellReport open = CellHarness({}, {Guard::kCloseFds}).sh(kShow);
    EXPECT_NE(open.out.head.find("fd " + std::to_string(leaked) + "\n"), std::string::npos)
        << open.out.head;
    ::close(leaked);
    ::unsetenv("SECRET_TOKEN");
  });
}

TEST(Containment, RootRunsCellsAsAUserOfTheSlotAlone) {
  if (::geteuid() != 0) {
    EXPECT_EQ(CellHarness().sh("id -u").out.head, std::to_string(::geteuid()) + "\n");
    return;
  }
  const std::string user = CellHarness().sh("id -u; id -G").out.head;
  EXPECT_NE(user, "0\n0\n");
  CellHarness first;
  CellHarness second;
  EXPECT_NE(first.sh("id -u").out.head, second.sh("id -u").out.head);
  EXPECT_EQ(CellHarness({}, {Guard::kUserDrop}).sh("id -u").out.head, "0\n");
}

}  // namespace
}  // namespace instar::isolation
