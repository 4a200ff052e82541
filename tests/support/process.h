#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"

namespace instar::testing {

/// How a program that a test ran ended, and what it said.
struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

struct ProgramOptions {
  std::filesystem::path directory = "/";
  std::map<std::string, std::string> env;  ///< the whole environment, but for PATH
  std::optional<unsigned> uid;             ///< run as this user and group
  std::chrono::seconds deadline{
      120};  ///< killed after it, which fails the caller's assertion on exit_code
};

/// A program under way: killed and reaped when this goes away.
class Program {
 public:
  Program(const std::vector<std::string>& argv, const ProgramOptions& options);
  /// Looks at what it does to the world until `condition` holds. False when it has ended, or its
  /// deadline has passed, without that.
  [[nodiscard]] bool until(const std::function<bool()>& condition) const;
  /// Waits for its end; kills it at the deadline.
  ProgramResult wait();
  void signal(int signo) const { child_.signal(signo); }
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  /// What it has printed so far on stderr.
  [[nodiscard]] std::string err_so_far() const;

 private:
  std::filesystem::path directory_;  ///< of the two output files; removed by `wait`
  Child child_;
  std::chrono::seconds deadline_;
};

ProgramResult run_program(const std::vector<std::string>& argv, const ProgramOptions& options = {});

}  // namespace instar::testing
