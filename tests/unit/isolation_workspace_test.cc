#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "isolation/beneath.h"
#include "isolation/entry_print.h"
#include "isolation/tree_copy.h"
#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

namespace fs = std::filesystem;

TEST(Workspace, CopiesTheBaseWithoutGitAndLaysChangesOver) {
  as_each_user([] {
    const TempDir base = TempDir::create("cell-base").value();
    fs::create_directories(base.path() / ".git/hooks");
    fs::create_directories(base.path() / "src/.git");
    std::ofstream(base.path() / ".git/config") << "secret";
    std::ofstream(base.path() / "src/a.c") << "old";
    std::ofstream(base.path() / "src/gone.c") << "gone";
    fs::create_symlink("a.c", base.path() / "src/link");
    fs::create_symlink("/etc/passwd", base.path() / "out1");
    fs::create_symlink("../out", base.path() / "out2");
    fs::create_symlink("../../out", base.path() / "src/out3");
    fs::create_symlink("src/../src/a.c", base.path() / "out4");

    CellHarness cell;
    const auto workspace = cell.provider().open_workspace(
        {.base = base.path(),
         .changes = {{.path = "src/a.c", .content = "new", .executable = false},
                     {.path = "src/gone.c", .content = {}, .executable = false},
                     {.path = "deep/er/b.c", .content = "b", .executable = true}},
         .slot = 0});
    ASSERT_TRUE(workspace) << workspace.error().message;
    CellSpec spec;
    spec.argv = {"sh", "-c",
                 "cat src/link && test -x deep/er/b.c && echo more >> src/a.c && find . | sort"};
    const auto report = cell.provider().run(spec, **workspace, {}).value();
    EXPECT_EQ(report.exit_code, 0) << report.err.head;
    EXPECT_EQ(report.out.head,
              "new.\n./deep\n./deep/er\n./deep/er/b.c\n./out1\n./out2\n./out4\n./src\n"
              "./src/a.c\n./src/link\n./src/out3\n");
    std::ifstream original(base.path() / "src/a.c");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(original), {}), "old");
  });
}

TEST(Workspace, KeepsModificationTimes) {
  const TempDir base = TempDir::create("cell-base").value();
  std::ofstream(base.path() / "a") << "a";
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(base.path() / "a", old);
  CellHarness cell;
  const auto workspace =
      cell.provider().open_workspace({.base = base.path(), .changes = {}, .slot = 0}).value();
  EXPECT_EQ(fs::last_write_time(path_of(*workspace) / "a"), old);
}

TEST(Workspace, SnapshotIsIndependentAndTakesNoDevices) {
  as_each_user([] {
    CellHarness cell(CellHarness::Files{{"a", "1"}});
    EXPECT_EQ(
        cell.sh("mkfifo pipe; ln -s /etc/passwd link; echo 2 >> a; chmod 000 a; mkdir shut && "
                "echo x > shut/x && chmod 000 shut")
            .exit_code,
        0);
    const auto copy = cell.workspace().snapshot({});
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_FALSE(fs::exists(fs::symlink_status(path_of(**copy) / "pipe")));
    EXPECT_EQ(fs::read_symlink(path_of(**copy) / "link"), "/etc/passwd");
    CellSpec spec;
    spec.argv = {"sh", "-c", "chmod 700 a shut && cat a shut/x && rm -r *"};
    EXPECT_EQ(cell.provider().run(spec, **copy, {}).value().out.head, "12\nx\n");
    EXPECT_EQ(cell.sh("test -e a").exit_code, 0);
  });
}

/// A link of a cell's tree arrives as the text that it is, and nothing of what it leads to.
void expect_links(const fs::path& copy, const fs::path& secret) {
  for (const auto& [name, target] : {std::pair<const char*, fs::path>{"py", "/usr/bin/python3"},
                                     {"file", secret / "file"},
                                     {"d/directory", secret},
                                     {"d/up", "../../../.."},
                                     {"loop", "loop"}}) {
    ASSERT_TRUE(fs::is_symlink(fs::symlink_status(copy / name))) << name;
    EXPECT_EQ(fs::read_symlink(copy / name), target) << name;
  }
}

TEST(Workspace, LinksThatLeadOutAreKeptAndNeverFollowed) {
  as_each_user([] {
    const TempDir secret = TempDir::create("secret").value();
    std::ofstream(secret.path() / "file") << "secret";
    CellHarness cell;
    const std::string place = secret.path().string();
    ASSERT_EQ(cell.sh("mkdir d; ln -s /usr/bin/python3 py; ln -s " + place + "/file file; ln -s " +
                      place + " d/directory; ln -s ../../../.. d/up; ln -s loop loop")
                  .exit_code,
              0);
    const auto snapshot = cell.workspace().snapshot({}).value();
    expect_links(path_of(*snapshot), secret.path());

    const TempDir prepared = TempDir::create("prepared", cell.provider().scratch()).value();
    const Fd to = open_file(prepared.path(), O_RDONLY | O_DIRECTORY).value();
    ASSERT_TRUE(copy_tree(cell.workspace().directory(), to.get(), {}));
    expect_links(prepared.path(), secret.path());

    const auto workspace =
        cell.provider().open_workspace({.base = prepared.path(), .changes = {}, .slot = 0}).value();
    expect_links(path_of(*workspace), secret.path());
    for (Workspace* copy : {snapshot.get(), workspace.get()}) {
      CellSpec spec;
      spec.argv = {"sh", "-c", "./py -S -c 'print(6 * 7)'; cat file d/directory/file"};
      EXPECT_EQ(cell.provider().run(spec, *copy, {}).value().out.head, "42\n");
    }
  });
}

TEST(Workspace, HostileTreesAreRemoved) {
  as_each_user([] {
    fs::path left;
    {
      CellHarness cell;
      left = path_of(cell.workspace());
      cell.python(
          "import os\n"
          "open('odd\\n\\x1b[2J name', 'w'); os.mkdir('shut'); open('shut/f', 'w')\n"
          "os.chmod('shut', 0)\n"
          "for i in range(300):\n"
          "    os.mkdir('d'); os.chdir('d')\n"
          "open('bottom', 'w')\n");
      EXPECT_TRUE(fs::exists(left / "odd\n\x1b[2J name"));
      EXPECT_TRUE(fs::is_directory(left / "d/d/d/d/d/d/d/d"));
    }
    EXPECT_FALSE(fs::exists(left));
  });
}

TEST(OutputBroker, OnlyPlainFilesLeave) {
  as_each_user([] {
    CellHarness cell;
    CellSpec spec;
    spec.argv = {
        "sh", "-c",
        "cd $INSTAR_OUT && echo good > good && ln -s good link && ln good hard1 && ln good "
        "hard2 && echo lone > lone && mkfifo pipe && mkdir dir && echo in > dir/f && ln -s "
        "dir dirlink && head -c 3000000 /dev/zero > big"};
    spec.outputs = {"lone",    "good",  "link", "pipe", "dir",  "dirlink/f",
                    "missing", "lone/", "../x", "big",  "dir/f"};
    spec.limits.outputs_bytes = kMiB;
    const CellReport report = cell.run(spec);
    ASSERT_EQ(report.outputs.size(), spec.outputs.size());
    EXPECT_EQ(report.outputs.front().bytes, "lone\n");
    EXPECT_TRUE(report.outputs.front().refused.empty());
    for (std::size_t i = 1; i + 1 < report.outputs.size(); ++i) {
      EXPECT_FALSE(report.outputs[i].refused.empty()) << report.outputs[i].path;
      EXPECT_TRUE(report.outputs[i].bytes.empty()) << report.outputs[i].path;
    }
    EXPECT_EQ(report.outputs.back().bytes, "in\n");
  });
}

class EntryPrints : public testing::Test {
 protected:
  EntryPrints() : cell(CellHarness::Files{{"sealed", "a"}, {"other", "b"}}) {
    cell.sh("ln -s other link");
    root = hold_tree(path_of(cell.workspace())).value();
    for (const char* name : {"sealed", "other", "link"}) {
      before[name] = print_entry(root.get(), name).value();
    }
  }
  bool unchanged(const std::string& name, const std::string& attack) {
    EXPECT_EQ(cell.sh(attack).exit_code, 0) << attack;
    return is_unchanged(root.get(), name, before.at(name)).value();
  }
  CellHarness cell;
  Fd root;
  std::map<std::string, EntryPrint> before;
};

TEST_F(EntryPrints, TellWhatChanged) {
  EXPECT_EQ(before.at("sealed").digest, sha256("a"));
  EXPECT_TRUE(unchanged("sealed", "touch sealed; cat sealed link"));
  EXPECT_TRUE(unchanged("link", "true"));
  for (const char* attack :
       {"printf b > sealed", "chmod a-x sealed", "mv sealed away; ln -s away sealed",
        "rm sealed; cp away sealed; ln sealed twin", "rm -f sealed twin; mkfifo sealed",
        "rm sealed; mkdir sealed", "rmdir sealed"}) {
    EXPECT_FALSE(unchanged("sealed", attack)) << attack;
  }
  EXPECT_TRUE(unchanged("sealed", "printf a > sealed; chmod 755 sealed"));
}

TEST_F(EntryPrints, ASymlinkIsWhereItLeads) {
  for (const char* attack : {"ln -sf sealed link", "rm link; mkfifo link", "rm link; ln other link",
                             "rm link; printf other > link", "rm link"}) {
    EXPECT_FALSE(unchanged("link", attack)) << attack;
  }
  EXPECT_TRUE(unchanged("link", "ln -s other link"));
}

TEST_F(EntryPrints, OurOwnFailureIsNoChange) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{.rlim_cur = 3, .rlim_max = limit.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const auto printed = print_entry(root.get(), "sealed");
  const auto asked = is_unchanged(root.get(), "sealed", before.at("sealed"));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_FALSE(printed);
  EXPECT_EQ(printed.error().code, ErrorCode::kIo);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().sys_errno, EMFILE);
  EXPECT_TRUE(is_unchanged(root.get(), "sealed", before.at("sealed")).value());
}

}  // namespace
}  // namespace instar::isolation
