#include "tests/support/target_repo.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "base/sha256.h"

namespace instar::testing {

namespace fs = std::filesystem;

std::map<std::string, std::string> small_program() {
  return {
      {"src/grade.py",
       "def grade(points):\n"
       "    if points > 90:\n"
       "        return \"A\"\n"
       "    if points >= 75:\n"
       "        return \"B\"\n"
       "    return \"C\"\n"},
      {"tests/run.py",
       "import sys\n"
       "sys.path.insert(0, \"src\")\n"
       "from grade import grade\n"
       "cases = [(95, \"A\"), (90, \"A\"), (89, \"B\"), (75, \"B\"), (74, \"C\"), (0, \"C\")]\n"
       "print(\"1..%d\" % len(cases))\n"
       "failed = 0\n"
       "for number, (points, want) in enumerate(cases, 1):\n"
       "    ok = grade(points) == want\n"
       "    failed += not ok\n"
       "    print(\"%sok %d - %d is %s\" % (\"\" if ok else \"not \", number, points, want))\n"
       "sys.exit(1 if failed else 0)\n"},
      {"instar.yaml",
       "version: 1\n"
       "name: grade\n"
       "surface: {allow: [\"src/**\"]}\n"
       "sealed: [\"tests/**\"]\n"
       "evaluate:\n"
       "  - {name: test, run: \"python3 -B tests/run.py > $INSTAR_OUT/run.tap\", timeout: 10s, "
       "report: {tap: run.tap}}\n"
       "objectives: [{metric: tests.failed, goal: minimize}]\n"},
  };
}

std::map<std::string, std::string> unsolvable_program() {
  auto files = small_program();
  std::string& tests = files["tests/run.py"];
  tests.replace(tests.find("(0, \"C\")"), 8, "(0, \"Z\")");
  return files;
}

TargetRepo::TargetRepo(const std::map<std::string, std::string>& files,
                       const std::string& directory_name)
    : directory_(TempDir::create("instar-test").value()),
      path_(directory_.path() / directory_name) {
  ::chmod(directory_.path().c_str(), 0755);
  fs::create_directories(path_);
  fs::create_directories(directory_.path() / "home");
  git({"init", "-q", "-b", "main"});
  for (const auto& [file, content] : files) write(file, content);
  commit_all("start");
}

void TargetRepo::write(const std::string& file, const std::string& content) const {
  fs::create_directories((path_ / file).parent_path());
  if (auto done = write_file_atomic(path_ / file, content); !done) {
    throw std::runtime_error(done.error().message);
  }
}

ProgramResult TargetRepo::git(std::vector<std::string> words) const {
  words.insert(words.begin(), {"git", "-c", "user.name=Tester", "-c", "user.email=tester@localhost",
                               "-c", "commit.gpgsign=false"});
  return run_program(words, {.directory = path_,
                             .env = {{"HOME", (directory_.path() / "home").string()},
                                     {"GIT_CONFIG_NOSYSTEM", "1"}},
                             .uid = {},
                             .deadline = std::chrono::seconds(60)});
}

void TargetRepo::commit_all(const std::string& message) const {
  git({"add", "-A"});
  const ProgramResult done = git({"commit", "-q", "-m", message});
  if (done.exit_code != 0) throw std::runtime_error("git commit: " + done.err);
}

Program TargetRepo::start(std::vector<std::string> words, ProgramOptions options) const {
  words.insert(words.begin(), INSTAR_BINARY);
  if (options.directory == "/") options.directory = path_;
  options.env.emplace("HOME", (directory_.path() / "home").string());
  return Program(words, options);
}

ProgramResult TargetRepo::instar(std::vector<std::string> words, ProgramOptions options) const {
  return start(std::move(words), std::move(options)).wait();
}

void TargetRepo::give_to(unsigned uid) const {
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
    if (::lchown(entry.path().c_str(), uid, uid) != 0) throw std::runtime_error("chown failed");
  }
  if (::lchown(directory_.path().c_str(), uid, uid) != 0) throw std::runtime_error("chown failed");
}

std::string TargetRepo::users_state() const {
  std::vector<std::string> lines;
  for (auto it = fs::recursive_directory_iterator(path_); it != fs::end(it); ++it) {
    const std::string name = it->path().lexically_relative(path_).string();
    if (name == ".git/instar" || name == ".git/objects" || name == ".git/refs/instar") {
      it.disable_recursion_pending();
      continue;
    }
    struct stat info {};
    ::lstat(it->path().c_str(), &info);
    // The directories that hold ours change their times when ours appear.
    const bool holds_ours = name == ".git" || name == ".git/refs" || name == ".git/objects";
    std::string line = name + " " + std::to_string(info.st_mode);
    if (!holds_ours) {
      line +=
          " " + std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec);
    }
    if (it->is_regular_file()) {
      line += " " + sha256(read_file(it->path(), 64U << 20).value()).hex();
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const auto& line : lines) all += line + "\n";
  return all;
}

}  // namespace instar::testing
