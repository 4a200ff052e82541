#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "isolation/process_tree.h"
#include "isolation/tree_copy.h"
#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// One slot of namespace cells.
class NamespaceCells {
 public:
  explicit NamespaceCells(const std::vector<Guard>& off = {}) : scratch_(made()) {
    for (const Guard guard : off) set_guard_off(guard, true);
    provider_ =
        make_cell_provider({.level = Level::kNamespace, .scratch = scratch_.path()}).value();
    for (const Guard guard : off) set_guard_off(guard, false);
    empty_ = open({});
  }

  std::unique_ptr<Workspace> open(const WorkspaceSpec& spec) {
    return provider_->open_workspace(spec).value();
  }
  CellReport run(Workspace& workspace, const std::string& script) {
    CellSpec spec;
    spec.argv = {"sh", "-c", script};
    return provider_->run(spec, workspace, {}).value();
  }
  std::string sh(const std::string& script) { return run(*empty_, script).out.head; }
  CellReport python(const std::string& script) {
    CellSpec spec;
    spec.argv = {"/usr/bin/python3", "-S", "-c", script};
    return provider_->run(spec, *empty_, {}).value();
  }
  CellProvider& provider() { return *provider_; }

 private:
  static TempDir made() {
    TempDir directory = TempDir::create("namespace-test").value();
    ::chmod(directory.path().c_str(), 0711);
    return directory;
  }
  TempDir scratch_;
  std::unique_ptr<CellProvider> provider_;
  std::unique_ptr<Workspace> empty_;
};

/// A base with src/a, src/gone and the sealed tests/t.
class Base {
 public:
  Base() {
    ::chmod(directory.path().c_str(), 0755);
    write("src/a", "a\n");
    write("src/gone", "g\n");
    write("tests/t", "t\n");
  }
  [[nodiscard]] WorkspaceSpec spec(std::vector<FileChange> changes = {}) const {
    return {.base = directory.path(), .changes = std::move(changes), .slot = 0, .sealed = sealed};
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((directory.path() / name).parent_path());
    std::ofstream(directory.path() / name) << text;
  }
  TempDir directory = TempDir::create("base").value();
  std::vector<std::string> sealed{"tests/t"};
};

TEST(NamespaceCell, SeesARootOfItsOwn) {
  as_each_user([] {
    NamespaceCells cells;
    EXPECT_EQ(cells.sh("ls -A / | grep -v libx32 | tr '\n' ' '"),
              ".host bin dev etc home lib lib32 lib64 out proc sbin tmp usr work ");
    EXPECT_EQ(cells.sh("ls -A /.host /home /out /tmp /dev/shm /work | grep -v :"), "\n\n\n\n\n");
    EXPECT_EQ(cells.sh("echo $PWD $INSTAR_WORK $INSTAR_OUT $TMPDIR $HOME; hostname"),
              "/work /work /out /tmp /home\ncell\n");
    EXPECT_EQ(cells.sh("ls /dev | tr '\n' ' '"),
              "fd full null random shm stderr stdin stdout urandom zero ");
  });
}

TEST(NamespaceCell, WritesNothingButItsOwn) {
  as_each_user([] {
    NamespaceCells cells;
    EXPECT_EQ(cells.sh("for d in / /usr /etc /dev /proc /.host /etc/python3; do "
                       "touch $d/x 2>/dev/null && echo $d; done"),
              "");
    EXPECT_EQ(cells.sh("for d in /work /tmp /home /out /dev/shm; do "
                       "touch $d/x 2>/dev/null && echo $d; done | tr '\n' ' '"),
              "/work /tmp /home /out /dev/shm ");
  });
}

TEST(NamespaceCell, LosesWhatIsNotItsWorkspace) {
  as_each_user([] {
    NamespaceCells cells;
    EXPECT_EQ(cells.sh("echo 1 > x; echo 1 > /tmp/x; echo 1 > /dev/shm/x; ls"), "x\n");
    EXPECT_EQ(cells.sh("ls /work /tmp /home /out /dev/shm | grep -v : | tr -d '\n'"), "x");
  });
}

TEST(NamespaceCell, FindsNoSharedMemoryOfTheOneBefore) {
  as_each_user([] {
    NamespaceCells cells({Guard::kSeccomp});
    const auto segment = [&](int flags) {
      return cells
          .python("import ctypes; print(ctypes.CDLL(None).shmget(77, 4096, " +
                  std::to_string(flags) + ") >= 0)")
          .out.head;
    };
    EXPECT_EQ(segment(IPC_CREAT | 0600), "True\n");
    EXPECT_EQ(segment(0), "False\n");
  });
}

TEST(NamespaceCell, IsSomebodyWithoutAnyRight) {
  as_each_user([] {
    NamespaceCells cells;
    EXPECT_EQ(cells.sh("id -un; id -u"), "cell\n1000\n");
    EXPECT_EQ(cells.sh("grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status "
                       "| tr -d '\\t\\n'"),
              "CapPrm:0000000000000000CapEff:0000000000000000CapBnd:0000000000000000"
              "CapAmb:0000000000000000NoNewPrivs:1Seccomp:2");
  });
}

TEST(NamespaceCell, SeesItsOwnProcessesAlone) {
  as_each_user([] {
    NamespaceCells cells;
    EXPECT_EQ(cells.sh("ls /proc | grep -c '^[0-9]'"), "4\n") << "init, sh, ls and grep";
    EXPECT_EQ(cells.sh("ls /proc/sys /proc/meminfo 2>/dev/null"), "") << "subset=pid";
    EXPECT_EQ(cells.sh("kill -9 1; kill -STOP 1; echo lives"), "lives\n");
    EXPECT_EQ(cells.sh("cat /proc/1/environ /proc/1/maps 2>/dev/null"), "");
    EXPECT_EQ(cells.sh("tr -d '\\0' < /proc/1/cmdline"), "");
  });
}

TEST(NamespaceCell, AUserNamespaceCannotBeMadeEvenWithoutTheFilter) {
  as_each_user([] {
    NamespaceCells cells({Guard::kSeccomp});
    EXPECT_EQ(cells.sh("unshare -U true 2>/dev/null && echo made"), "");
    EXPECT_EQ(cells.sh("mount -t tmpfs none /tmp 2>/dev/null && echo mounted"), "");
    EXPECT_EQ(cells.sh("umount /proc 2>/dev/null && echo unmounted"), "");
  });
}

/// A socket that listens on a loopback port of the host.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 4), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  int port = 0;

 private:
  Fd socket_;
};

TEST(NamespaceCell, ReachesNoNetworkEvenWithoutTheFilter) {
  as_each_user([] {
    const Listener listener;
    const std::string connect = "import socket; socket.create_connection(('127.0.0.1', " +
                                std::to_string(listener.port) + "), 2); print('reached')";
    const std::vector<Guard> off{Guard::kSeccomp, Guard::kLandlock};
    EXPECT_EQ(CellHarness({}, off).python(connect).out.head, "reached\n") << "control: guarded";
    NamespaceCells cells(off);
    EXPECT_EQ(cells.python(connect).out.head, "");
    EXPECT_EQ(cells.python("import socket; print([n for _, n in socket.if_nameindex()])").out.head,
              "['lo']\n");
  });
}

TEST(NamespaceCell, WorksAboveABaseThatStaysAsItIs) {
  as_each_user([] {
    const Base base;
    NamespaceCells cells;
    const auto workspace =
        cells.open(base.spec({{.path = "src/a", .content = "changed\n", .executable = true},
                              {.path = "src/new/deep", .content = "n\n", .executable = false},
                              {.path = "src/gone", .content = {}, .executable = false}}));
    EXPECT_EQ(cells.run(*workspace, "cat src/a src/new/deep; test -x src/a && ls src").out.head,
              "changed\nn\na\nnew\n");
    EXPECT_EQ(cells.run(*workspace, "echo more >> src/a; rm -r src/new").exit_code, 0);
    EXPECT_EQ(cells.run(*workspace, "cat src/a; ls src").out.head, "changed\nmore\na\n");
    const auto other = cells.open(base.spec());
    EXPECT_EQ(cells.run(*other, "cat src/a src/gone").out.head, "a\ng\n");
  });
}

TEST(NamespaceCell, ASnapshotGoesItsOwnWay) {
  as_each_user([] {
    const Base base;
    NamespaceCells cells;
    const auto workspace = cells.open(base.spec());
    EXPECT_EQ(cells.run(*workspace, "echo 1 > one; rm src/gone").exit_code, 0);
    {
      const auto copy = workspace->snapshot({}).value();
      EXPECT_EQ(cells.run(*copy, "ls src; cat one; echo 2 > one; echo 2 > two").out.head, "a\n1\n");
      EXPECT_EQ(cells.run(*copy, "cat one two").out.head, "2\n2\n");
    }
    EXPECT_EQ(cells.run(*workspace, "cat one; ls; ls src").out.head, "1\none\nsrc\ntests\na\n");
    const auto again = workspace->snapshot({}).value();
    EXPECT_EQ(cells.run(*again, "cat one; ls").out.head, "1\none\nsrc\ntests\n");
  });
}

TEST(NamespaceCell, TheHostReadsAWorkspaceByItsDirectory) {
  as_each_user([] {
    const Base base;
    NamespaceCells cells;
    const auto workspace = cells.open(base.spec());
    EXPECT_EQ(cells.run(*workspace, "echo b > src/b; chmod 0600 src/b").exit_code, 0);
    const TempDir to = TempDir::create("copy").value();
    const Fd held = open_file(to.path(), O_RDONLY | O_DIRECTORY).value();
    ASSERT_TRUE(copy_tree(workspace->directory(), held.get(), {}));
    EXPECT_EQ(read_file(to.path() / "src/b", 10).value(), "b\n");
    EXPECT_EQ(read_file(to.path() / "tests/t", 10).value(), "t\n");
  });
}

TEST(NamespaceCell, SealedFilesBelongToSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has a user to keep them";
  const Base base;
  NamespaceCells cells;
  const auto workspace = cells.open(base.spec());
  const char* attack =
      "for do in 'echo x > tests/t' 'rm -f tests/t' 'mv tests/t tests/u' 'mv tests old' "
      "'chmod 600 tests/t' 'touch -d 2000-01-01 tests/t' 'ln -sf src/a tests/t' 'rmdir tests' "
      "'ln tests/t src/t'; do (eval \"$do\") 2>/dev/null && echo \"$do\"; done; cat tests/t";
  EXPECT_EQ(cells.run(*workspace, attack).out.head, "t\n");
  EXPECT_EQ(cells
                .run(*workspace,
                     "echo n > tests/new; mkdir tests/d; rm -r tests/new tests/d; "
                     "echo x > src/a; echo x > top; cat src/a")
                .out.head,
            "x\n");
  WorkspaceSpec open = base.spec();
  const Base copy;
  open.base = copy.directory.path();
  open.sealed = {};
  const auto unsealed = cells.open(open);
  EXPECT_EQ(cells.run(*unsealed, "echo x > tests/t; cat tests/t").out.head, "x\n") << "control";
}

TEST(NamespaceCell, OutputsLeaveFromTheirDirectory) {
  as_each_user([] {
    NamespaceCells cells;
    const auto workspace = cells.open({});
    CellSpec spec;
    spec.argv = {"sh", "-c", "echo o > $INSTAR_OUT/o; ln -s /etc/passwd $INSTAR_OUT/l"};
    spec.outputs = {"o", "l", "absent"};
    const auto report = cells.provider().run(spec, *workspace, {}).value();
    ASSERT_EQ(report.outputs.size(), 3U);
    EXPECT_EQ(report.outputs[0].bytes, "o\n");
    EXPECT_THAT(report.outputs[1].refused, HasSubstr("symlink"));
    EXPECT_THAT(report.outputs[2].refused, HasSubstr("missing"));
  });
}

TEST(NamespaceCell, WhereAGroupIsRequiredNothingLessIsMade) {
  if (::geteuid() == 0) {
    EXPECT_TRUE(
        make_cell_provider({.level = Level::kNamespace, .tree_memory = true, .scratch = {}}));
  }
  as_ordinary_user([] {
    const auto refused =
        make_cell_provider({.level = Level::kNamespace, .tree_memory = true, .scratch = {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kHostCannot);
    EXPECT_THAT(refused.error().message, HasSubstr("tree_memory"));
    EXPECT_TRUE(make_cell_provider({.level = Level::kNamespace, .scratch = {}})) << "control";
  });
}

TEST(NamespaceCell, MemoryThatNoProcessMapsCountsInAGroup) {
  const char* script = "head -c 100000000 /dev/zero > /tmp/f; echo $?";
  const auto run = [&] {
    NamespaceCells cells;
    const auto workspace = cells.open({});
    CellSpec spec;
    spec.argv = {"sh", "-c", script};
    spec.limits.memory_bytes = 64 * kMiB;
    return cells.provider().run(spec, *workspace, {}).value();
  };
  if (::geteuid() == 0) {
    EXPECT_EQ(run().limit, "memory");
  }
  as_ordinary_user([&] { EXPECT_EQ(run().out.head, "0\n") << "control: no group, only a watch"; });
}

TEST(NamespaceCell, TheRootIsReadOnlyAndItsFirstProcessHasNoRightWithoutLandlockToo) {
  as_each_user([] {
    NamespaceCells cells({Guard::kLandlock});
    EXPECT_EQ(cells.sh("for d in / /usr /etc /dev; do touch $d/x 2>/dev/null && echo $d; done"),
              "");
    EXPECT_EQ(cells.sh("touch /work/x && echo wrote"), "wrote\n") << "control";
    EXPECT_EQ(cells.sh("grep -c '^Cap[A-Z][a-z]*:.0000000000000000$' /proc/1/status"), "5\n");
  });
}

TEST(NamespaceCell, ReadOnlyIsReadOnly) {
  as_each_user([] {
    NamespaceCells cells;
    const auto workspace = cells.open({});
    CellSpec spec;
    spec.argv = {"sh", "-c", "touch x 2>/dev/null && echo wrote; touch /tmp/x && echo temp"};
    spec.access = WorkspaceAccess::kReadOnly;
    EXPECT_EQ(cells.provider().run(spec, *workspace, {}).value().out.head, "temp\n");
  });
}

std::size_t mounts_of(pid_t pid) {
  std::ifstream mounts("/proc/" + std::to_string(pid) + "/mountinfo");
  std::size_t count = 0;
  for (std::string line; std::getline(mounts, line);) ++count;
  return count;
}

TEST(NamespaceCell, ManyLeaveNothing) {
  const std::vector<pid_t> before = children_of(::getpid());
  NamespaceCells cells;
  pid_t launcher = 0;
  for (const pid_t child : children_of(::getpid())) {
    if (std::find(before.begin(), before.end(), child) == before.end()) launcher = child;
  }
  const auto descriptors = [](pid_t pid) {
    const fs::path directory = "/proc/" + std::to_string(pid) + "/fd";
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  };
  const auto round = [&] {
    const auto workspace = cells.open({});
    EXPECT_EQ(cells.run(*workspace, "echo x > x; sleep 100 & setsid sleep 100 &").exit_code, 0);
    const auto copy = workspace->snapshot({}).value();
    EXPECT_EQ(cells.run(*copy, "cat x").out.head, "x\n");
  };
  round();
  cells.sh("true");  // the launcher has done what it was asked before
  const auto mounts = mounts_of(launcher);
  const auto theirs = descriptors(launcher);
  const auto ours = descriptors(::getpid());
  for (int i = 0; i < 50; ++i) round();
  cells.sh("true");
  EXPECT_GT(mounts, 10U);
  // It may be at work on what was asked last; what each round left would be fifty times as much.
  EXPECT_LT(mounts_of(launcher), mounts + 5);
  EXPECT_LT(descriptors(launcher), theirs + 5);
  EXPECT_EQ(descriptors(::getpid()), ours);
  EXPECT_THAT(children_of(launcher), IsEmpty());
}

}  // namespace
}  // namespace instar::isolation
