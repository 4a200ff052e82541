#include "cli/command_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace instar::cli {

namespace {

using Words = std::vector<std::string>;

/// The simple commands of a line, each as its words without quotes.
std::vector<Words> simple_commands(std::string_view line) {
  std::vector<Words> commands(1);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) commands.back().push_back(std::move(word));
    word.clear();
  };
  for (const char c : line) {
    if (std::string_view(";&|()\n").find(c) != std::string_view::npos) {
      end_word();
      commands.emplace_back();
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if (c != '"' && c != '\'') {
      word += c;
    }
  }
  end_word();
  return commands;
}

bool is_interpreter(std::string_view program) {
  constexpr std::array<std::string_view, 9> kNames{"python", "sh",   "bash", "dash",   "perl",
                                                   "ruby",   "node", "lua",  "Rscript"};
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view known) {
    return name.starts_with(known) &&
           name.find_first_not_of("0123456789.", known.size()) == std::string_view::npos;
  });
}

/// Programs that run the command behind them.
bool is_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 5> kNames{"env", "exec", "time", "nice", "command"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end() ||
         word.find('=') != std::string_view::npos;
}

std::string plain(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

/// What an interpreter runs: the first word that is no option, or the module behind `-m`.
void add_script(const Words& words, std::size_t at, std::vector<std::string>& files) {
  for (; at < words.size(); ++at) {
    if (words[at] == "-c") return;
    if (words[at] == "-m" && at + 1 < words.size()) {
      std::string module = words[at + 1];
      std::replace(module.begin(), module.end(), '.', '/');
      files.push_back(module + ".py");
      files.push_back(module + "/__main__.py");
      return;
    }
    if (words[at].starts_with("-")) continue;
    files.push_back(plain(words[at]));
    return;
  }
}

}  // namespace

std::vector<std::string> files_run_by(std::string_view command) {
  std::vector<std::string> files;
  for (const Words& words : simple_commands(command)) {
    std::size_t at = 0;
    while (at < words.size() && is_prefix(words[at])) ++at;
    if (at == words.size()) continue;
    if (words[at] == "make") {
      files.insert(files.end(), {"GNUmakefile", "makefile", "Makefile"});
    } else if (is_interpreter(words[at])) {
      add_script(words, at + 1, files);
    } else if (words[at].find('/') != std::string::npos) {
      files.push_back(plain(words[at]));
    }
  }
  return files;
}

}  // namespace instar::cli
