#include "cli/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/bridge.h"
#include "cli/command.h"
#include "cli/inherited_limits.h"
#include "cli/manual.h"
#include "cli/output.h"

namespace instar::cli {

namespace {

void print_overview(std::FILE* to) {
  std::fprintf(
      to,
      "instar evolves the code of a git repository and contains what it evolves.\n\n"
      "Examples:\n"
      "  instar init                 write an instar.yaml for the repository here\n"
      "  instar check --run          see that its tests run in a cell\n"
      "  instar evolve --seed 1      repair or improve it\n"
      "  instar log                  see the checkpoints of the newest run\n\nCommands:\n");
  for (const Command& command : commands()) {
    std::fprintf(to, "  %-10s %s\n", std::string(command.name).c_str(),
                 std::string(command.summary).c_str());
  }
  std::fprintf(to,
               "\n`instar help COMMAND` explains one. Every command takes -C DIR and --json.\n");
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

/// A mistyped option gets the nearest one of its command; one that exists got a wrong value.
std::string option_hint(const CLI::App& app, const std::string& message) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const auto word : split(message, ' ')) {
    if (!word.starts_with("--")) continue;
    const std::string option(trim(word.substr(0, word.find_first_of("=:"))));
    if (std::find(names.begin(), names.end(), option) != names.end()) {
      return "`instar help " + app.get_name() + "` says what " + option + " takes";
    }
    const std::string near = did_you_mean(option, names);
    if (!near.empty()) return "did you mean " + near + "?";
  }
  return "`instar help " + app.get_name() + "` shows its options";
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

void print_manual(const Command& command, bool json) {
  if (json) return print_json({{"command", command.name}, {"manual", command.manual}});
  constexpr std::size_t kWidth = 80;  // what every terminal has
  const std::string text = shown_manual(command.manual, kWidth);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

void print_commands(bool json) {
  if (!json) return print_overview(stdout);
  nlohmann::json list = nlohmann::json::array();
  for (const Command& command : commands()) {
    list.push_back({{"command", command.name}, {"summary", command.summary}});
  }
  print_json({{"commands", std::move(list)}});
}

/// `instar help` and `instar help COMMAND`.
Result<ExitCode> help(std::vector<std::string> words, bool json) {
  // What every command takes and help has no use for.
  std::erase_if(words, [](const std::string& word) {
    return word == "--json" || word == "-h" || word == "--help";
  });
  if (words.size() > 1) {
    return usage_error("help takes one command, not '" + join(words, " ") + "'",
                       "`instar help` lists the commands");
  }
  if (words.empty()) {
    print_commands(json);
    return ExitCode::kDone;
  }
  const Command* command = find_command(words.front());
  if (command == nullptr) return unknown_command(words.front());
  print_manual(*command, json);
  return ExitCode::kDone;
}

Result<ExitCode> run_command(const Command& command, const std::vector<std::string>& words,
                             Globals& globals) {
  // Before anything is parsed, so that it works without the options that a command requires.
  if (asks_for_help(words)) {
    print_manual(command, globals.json);
    return ExitCode::kDone;
  }
  CLI::App app{std::string(command.summary), std::string(command.name)};
  app.set_help_flag();
  app.add_flag("-h,--help");  // known, so that a mistyped one has something to be near to
  app.add_flag("--json", globals.json);
  app.add_option("-C", globals.directory);
  const Action action = command.declare(app, globals);
  if (command.usage != ExitCode::kUsage) globals.lost_output = command.usage;
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
      print_commands(globals.json);
      return ExitCode::kDone;
    }
    if (words[at] == "-V" || words[at] == "--version") {
      words[at] = "version";
      break;
    }
    before.push_back(words[at]);
    if (words[at] == "-C" && at + 1 < words.size()) before.push_back(words[++at]);
    ++at;
  }
  if (at == words.size()) {
    if (globals.json) {
      return usage_error("no command was given", "`instar --help` lists the commands");
    }
    print_overview(stderr);
    return ExitCode::kUsage;
  }
  const auto rest = std::span<const std::string>(words).subspan(at + 1);
  if (words[at] == "help") return help({rest.begin(), rest.end()}, globals.json);
  const Command* command = find_command(words[at]);
  if (command == nullptr) return unknown_command(words[at]);
  before.insert(before.end(), rest.begin(), rest.end());
  return run_command(*command, before, globals);
}

/// Escape sequences are for terminals that understand them and users who want them.
bool wants_color() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

int run_program(int argc, char** argv) {
  Globals globals;
  globals.json = asks_for_json(argc, argv);
  globals.color = wants_color();
  const auto result = run_action([&]() -> Result<ExitCode> {
    INSTAR_CHECK(meet_inherited_limits());
    return dispatch(std::vector<std::string>(argv + 1, argv + argc), globals);
  });
  return finish(result, globals);
}

}  // namespace instar::cli
