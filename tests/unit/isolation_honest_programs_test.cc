#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/cell_harness.h"

/// What builds and tests are made of starts and works in a cell: a guard that broke one of these
/// would be switched off.

namespace instar::isolation {
namespace {

struct Honest {
  const char* program;  ///< not tried where the host does not have it
  const char* script;
  const char* prints;
};

class HonestPrograms : public testing::TestWithParam<Honest> {};

TEST_P(HonestPrograms, StartAndWork) {
  const Honest& honest = GetParam();
  as_each_user([&] {
    CellHarness cell(CellHarness::Files{
        {"hello.c", "#include <stdio.h>\nint main(void) { return printf(\"hello\\n\") != 6; }\n"},
        {"Makefile", "all: hello\n\t./hello\nhello: hello.c\n\t$(CC) -O1 -o $@ $<\n"},
        {"test_a.py",
         "import multiprocessing, subprocess, threading\n"
         "def double(end): end.send(2 * end.recv())\n"
         "def test_process():\n"
         "    near, far = multiprocessing.Pipe()\n"
         "    p = multiprocessing.Process(target=double, args=(far,)); p.start(); near.send(21)\n"
         "    assert near.recv() == 42; p.join(); assert p.exitcode == 0\n"
         "def test_program(): assert subprocess.run(['true']).returncode == 0\n"
         "def test_thread():\n"
         "    got = []; t = threading.Thread(target=got.append, args=(1,)); t.start(); t.join()\n"
         "    assert got == [1]\n"},
        {"Hello.java",
         "public class Hello { public static void main(String[] a) throws Exception {\n"
         "  Thread t = new Thread(() -> System.out.println(\"hello\")); t.start(); t.join(); } "
         "}\n"}});
    const CellReport report = cell.sh(honest.script);
    EXPECT_EQ(report.exit_code, 0) << report.reason << "\n" << report.out.head << report.err.head;
    EXPECT_NE(report.out.head.find(honest.prints), std::string::npos) << report.out.head;
  });
}

std::vector<Honest> installed() {
  std::vector<Honest> programs{
      Honest{"/usr/bin/cc", "cc -pthread -o hello hello.c && ./hello", "hello\n"},
      Honest{"/usr/bin/make", "make -s -j2", "hello\n"},
      Honest{"/usr/bin/python3", "python3 -c 'print(6 * 7)'", "42\n"},
      Honest{"/usr/bin/pytest", "/usr/bin/python3 -m pytest -q -p no:cacheprovider test_a.py",
             "3 passed"},
      Honest{"/usr/bin/perl", "perl -MPOSIX -e 'print POSIX::floor(42.5), qq(\\n)'", "42\n"},
      Honest{"/usr/bin/node",
             "node -e 'require(\"child_process\").exec(\"echo hello\", (e, o) => "
             "console.log(e || o))'",
             "hello\n"},
      Honest{"/usr/bin/java", "java -Xmx64m Hello.java", "hello\n"},
      Honest{"/usr/bin/tail", "echo hello > f; timeout 0.3 tail -f f; true", "hello\n"},
      Honest{"/usr/bin/nice", "nice -n 5 taskset 1 echo hello", "hello\n"}};
  std::erase_if(programs, [](const Honest& honest) { return ::access(honest.program, X_OK) != 0; });
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Host, HonestPrograms, testing::ValuesIn(installed()),
                         [](const auto& param) {
                           const std::string program = param.param.program;
                           return program.substr(program.rfind('/') + 1);
                         });

}  // namespace
}  // namespace instar::isolation
