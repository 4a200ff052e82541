#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkpoints/repository.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/config/target.h"
#include "engine/init/draft.h"
#include "engine/init/write_new.h"

namespace instar::cli {

namespace fs = std::filesystem;

namespace {

struct InitOptions {
  std::string directory;
  bool to_stdout = false;
};

nlohmann::json stages_json(const engine::Draft& draft) {
  auto stages = nlohmann::json::array();
  for (const auto& stage : draft.stages) {
    stages.push_back({{"name", stage.name},
                      {"run", stage.run},
                      {"report", stage.report.empty() ? "exit code" : stage.report}});
  }
  return stages;
}

void print_next(const engine::Draft& draft, const fs::path& path) {
  const std::string where =
      path.has_parent_path()
          ? " -C " + escape_for_terminal(shell_quoted(path.parent_path().string()))
          : "";
  if (!draft.has_tests) {
    std::printf(
        "\nNext: write tests, and put their command into `evaluate:`. Without tests nothing tells "
        "a "
        "better\nvariant from a worse one. Then:\n  instar check --run%s\n",
        where.c_str());
    return;
  }
  std::printf("\nNext, after a look at it:\n  instar check --run%s\n  instar evolve --seed 1%s\n",
              where.c_str(), where.c_str());
}

void print_report(const engine::Draft& draft, const fs::path& path, bool written,
                  const std::string& text, bool json) {
  if (json) {
    print_json({{"path", path.string()},
                {"written", written},
                {"languages", draft.languages},
                {"surface", draft.allow},
                {"sealed", draft.sealed},
                {"stages", stages_json(draft)},
                {"found", draft.found},
                {"missing", draft.missing},
                {"text", text}});
    return;
  }
  std::FILE* talk = written ? stdout : stderr;
  for (const auto& line : draft.found) {
    std::fprintf(talk, "found    %s\n", escape_for_terminal(line).c_str());
  }
  for (const auto& line : draft.missing) {
    std::fprintf(talk, "missing  %s\n", escape_for_terminal(line).c_str());
  }
  if (!written) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::printf("wrote    %s\n", escape_for_terminal(path.string()).c_str());
  print_next(draft, path);
}

/// Refuses a directory below the top of its repository: the file is read from the top, and its
/// patterns begin there. Without a usable repository: what is wrong, to be told.
Result<std::optional<std::string>> look_at_repository(const fs::path& directory) {
  const auto repository = checkpoints::Repository::open(directory);
  if (!repository) {
    const Error& error = repository.error();
    return error.message + (error.hint.empty() ? "" : "; before a run: " + error.hint);
  }
  const fs::path& top = repository->work_tree();
  std::error_code error;
  if (fs::equivalent(directory, top, error)) return std::optional<std::string>();
  return fail(ErrorCode::kInvalidInput,
              directory.lexically_normal().string() + " is a part of the repository " +
                  top.string() + ", and an instar.yaml stands at the top of one",
              "write it there and narrow its surface: instar init " + top.string());
}

Result<ExitCode> run_init(const fs::path& directory, bool to_stdout, bool json) {
  const auto project = INSTAR_TRY(engine::list_project(directory));
  auto draft = INSTAR_TRY(engine::draft_target(project, engine::pytest_on_host()));
  const auto note = INSTAR_TRY(look_at_repository(directory));
  const std::string text = engine::render_target(draft);
  // Told, not written: the file stays, and the lack does not.
  if (note) draft.missing.push_back(*note);
  const fs::path path = (directory / "instar.yaml").lexically_normal();
  // What is written must be what every other command reads.
  engine::Policy policy = INSTAR_TRY(engine::built_in_policy());
  if (auto target = engine::parse_target(text, path.string(), policy); !target) {
    return fail(ErrorCode::kInternal,
                "the file that init made is wrong: " + target.error().message);
  }
  if (!to_stdout) INSTAR_CHECK(engine::write_new_file(path, text));
  print_report(draft, path, !to_stdout, text, json);
  return ExitCode::kDone;
}

}  // namespace

Action declare_init(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<InitOptions>();
  app.add_option("DIR", options->directory);
  app.add_flag("--stdout", options->to_stdout);
  return [options, &globals]() -> Result<ExitCode> {
    return run_init(globals.directory / options->directory, options->to_stdout, globals.json);
  };
}

}  // namespace instar::cli
