#include "base/child.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace instar {

Result<Child> Child::adopt(pid_t pid) {
  // glibc 2.36's <sys/pidfd.h> lacks extern "C": the system calls are made directly.
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) {
    const int err = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return fail(Error::system("cannot open a pidfd", err));
  }
  return Child(pid, std::move(pidfd));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

Child::~Child() { end(); }

void Child::end() {
  if (!running()) return;
  signal(SIGKILL);
  (void)wait();
}

void Child::signal(int signo) const {
  if (running()) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signo, nullptr, 0);
}

Result<ChildExit> Child::wait() {
  // waitpid(-1) would reap any other child and take its end for this one's.
  if (!running()) return fail(ErrorCode::kInternal, "cannot wait for a child process twice");
  int status = 0;
  pid_t got = -1;
  do {
    got = ::waitpid(pid_, &status, 0);
  } while (got < 0 && errno == EINTR);
  const int err = errno;
  pid_ = -1;
  pidfd_.reset();
  if (got < 0) return fail(Error::system("cannot wait for a child process", err));

  ChildExit exit;
  if (WIFEXITED(status)) exit.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  return exit;
}

}  // namespace instar
