#pragma once

#include <sys/types.h>

#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace instar {

/// How a process ended.
struct ChildExit {
  std::optional<int> exit_code;  ///< of a normal exit
  int signal = 0;                ///< that ended it, else 0
};

/// Owns one child process: its pid and a pidfd, so that a signal can never reach another process
/// that got the same number. The destructor kills and reaps.
class Child {
 public:
  Child() = default;
  /// Takes over a child of this process; opens its pidfd.
  static Result<Child> adopt(pid_t pid);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }  ///< readable when the child has ended
  [[nodiscard]] bool running() const { return pid_ > 0; }

  /// Sends a signal; a child that has ended already is not an error.
  void signal(int signo) const;
  /// Waits for the end and reaps, once: afterwards there is no child, and a second call is an
  /// error.
  Result<ChildExit> wait();

 private:
  Child(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  void end();
  pid_t pid_ = -1;
  Fd pidfd_;
};

}  // namespace instar
