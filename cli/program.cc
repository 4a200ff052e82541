#include "cli/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/bridge.h"
#include "cli/command.h"
#include "cli/inherited_limits.h"
#include "cli/output.h"

namespace instar::cli {

namespace {

void print_overview() {
  std::printf(
      "instar evolves the code of a git repository and contains what it evolves.\n\n"
      "Examples:\n"
      "  instar init                 write an instar.yaml for the repository here\n"
      "  instar check --run          see that its tests run in a cell\n"
      "  instar evolve --seed 1      repair or improve it\n"
      "  instar log                  see the checkpoints of the newest run\n\nCommands:\n");
  for (const Command& command : commands()) {
    std::printf("  %-10s %s\n", std::string(command.name).c_str(),
                std::string(command.summary).c_str());
  }
  std::printf("\n`instar COMMAND --help` explains one. Every command takes -C DIR and --json.\n");
}

/// What is wrong and, for a typo, what was meant.
tl::unexpected<Error> usage_error(std::string message, std::string hint) {
  return fail(ErrorCode::kInvalidInput, std::move(message), std::move(hint));
}

tl::unexpected<Error> unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const std::string near = did_you_mean(word, names);
  return usage_error(
      "there is no command '" + word + "'",
      near.empty() ? "`instar --help` lists the commands" : "did you mean `instar " + near + "`?");
}

/// A mistyped option gets the nearest one of its command.
std::string option_hint(const CLI::App& app, const std::string& message) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const auto word : split(message, ' ')) {
    if (!word.starts_with("--")) continue;
    const std::string near = did_you_mean(word, names);
    if (!near.empty()) return "did you mean " + near + "?";
  }
  return "`instar " + app.get_name() + " --help` shows its options";
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--") break;
    if (word == "-h" || word == "--help") return true;
  }
  return false;
}

Result<ExitCode> run_command(const Command& command, const std::vector<std::string>& words,
                             Globals& globals) {
  // Before anything is parsed, so that it works without the options that a command requires.
  if (asks_for_help(words)) {
    std::fwrite(command.manual.data(), 1, command.manual.size(), stdout);
    return ExitCode::kDone;
  }
  CLI::App app{std::string(command.summary), std::string(command.name)};
  app.set_help_flag();
  app.add_flag("-h,--help");  // known, so that a mistyped one has something to be near to
  app.add_flag("--json", globals.json);
  app.add_option("-C", globals.directory);
  const Action action = command.declare(app, globals);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Error& error) {
    const auto mistake = usage_error(error.what(), option_hint(app, error.what()));
    if (command.usage == ExitCode::kUsage) return mistake;
    print_error(mistake.value(), globals.json);
    return command.usage;
  }
  return action();
}

/// Finds the command; `instar -C DIR evolve` means the same as `instar evolve -C DIR`.
Result<ExitCode> dispatch(std::vector<std::string> words, Globals& globals) {
  std::vector<std::string> before;
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    if (words[at] == "-h" || words[at] == "--help") {
      print_overview();
      return ExitCode::kDone;
    }
    if (words[at] == "--version") {
      words[at] = "version";
      break;
    }
    before.push_back(words[at]);
    if (words[at] == "-C" && at + 1 < words.size()) before.push_back(words[++at]);
    ++at;
  }
  if (at == words.size()) {
    if (!globals.json) print_overview();
    return usage_error("no command was given", "`instar --help` lists the commands");
  }
  for (const Command& command : commands()) {
    if (command.name != words[at]) continue;
    before.insert(before.end(), words.begin() + static_cast<long>(at) + 1, words.end());
    return run_command(command, before, globals);
  }
  return unknown_command(words[at]);
}

}  // namespace

int run_program(int argc, char** argv) {
  Globals globals;
  globals.json = asks_for_json(argc, argv);
  globals.color = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  const auto result = run_action([&]() -> Result<ExitCode> {
    INSTAR_CHECK(meet_inherited_limits());
    return dispatch(std::vector<std::string>(argv + 1, argv + argc), globals);
  });
  return finish(result, globals.json);
}

}  // namespace instar::cli
