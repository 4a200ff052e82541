#include "tests/support/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "base/files.h"

namespace instar::testing {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostOutput = 256U << 20;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become(const std::vector<char*>& argv, const std::vector<char*>& env,
                         const fs::path& output, const ProgramOptions& options) {
  const int out = ::open((output / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err = ::open((output / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int in = ::open("/dev/null", O_RDONLY);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (options.uid) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(*options.uid) != 0 ||
        ::setuid(*options.uid) != 0) {
      ::_exit(126);
    }
  }
  if (::chdir(options.directory.c_str()) != 0) ::_exit(126);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(argv[0], argv.data(), env.data());
  ::_exit(127);
}

}  // namespace

Program::Program(const std::vector<std::string>& argv, const ProgramOptions& options)
    : deadline_(options.deadline) {
  std::string name = (fs::temp_directory_path() / "instar-test-output.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  directory_ = name;
  std::vector<std::string> env{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
  for (const auto& [key, value] : options.env) env.push_back(key + "=" + value);
  const auto argv_pointers = pointers(argv);
  const auto env_pointers = pointers(env);
  const pid_t pid = ::fork();
  if (pid == 0) become(argv_pointers, env_pointers, directory_, options);
  child_ = Child::adopt(pid).value();
}

std::string Program::err_so_far() const {
  return read_file(directory_ / "err", kMostOutput).value_or("");
}

bool Program::until(const std::function<bool()>& condition) const {
  constexpr int kBetweenLooks = 5;  // milliseconds
  const auto deadline = std::chrono::steady_clock::now() + deadline_;
  pollfd ended{.fd = child_.pidfd(), .events = POLLIN, .revents = 0};
  while (!condition()) {
    // Its end is an event: nothing is waited for that can no longer come.
    if (::poll(&ended, 1, kBetweenLooks) != 0) return condition();
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

ProgramResult Program::wait() {
  pollfd ended{.fd = child_.pidfd(), .events = POLLIN, .revents = 0};
  const auto budget = std::chrono::milliseconds(deadline_).count();
  if (::poll(&ended, 1, static_cast<int>(budget)) == 0) child_.signal(SIGKILL);
  const ChildExit exit = child_.wait().value();
  ProgramResult result{.exit_code = exit.exit_code.value_or(128 + exit.signal),
                       .out = read_file(directory_ / "out", kMostOutput).value_or(""),
                       .err = err_so_far()};
  fs::remove_all(directory_);
  return result;
}

ProgramResult run_program(const std::vector<std::string>& argv, const ProgramOptions& options) {
  return Program(argv, options).wait();
}

}  // namespace instar::testing
