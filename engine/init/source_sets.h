#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/init/project.h"

namespace instar::engine {

/// Files of one language, told apart by what a variant may do with them.
struct SourceSets {
  std::vector<ProjectFile> sources;
  std::vector<ProjectFile> tests;
};

/// Whether a directory on the file's way is one for tests.
bool in_test_directory(const ProjectFile& file);

/// `bench.py`, `bench_parse.c`, `benchmark.py`: what measures a variant must not be its to change.
bool is_benchmark(const ProjectFile& file);

SourceSets split_sources(const ProjectFiles& project,
                         const std::function<bool(const ProjectFile&)>& is_source,
                         const std::function<bool(const ProjectFile&)>& is_test);

/// Patterns that cover `sources` and nothing of `others` that stands beside them: `src/*.py` for a
/// directory of sources alone, single names for the root and for mixed directories.
std::vector<std::string> surface_of(const std::vector<ProjectFile>& sources,
                                    const std::vector<ProjectFile>& others);

/// `tests/**` for tests in directories of their own, names for the others.
std::vector<std::string> sealed_of(const std::vector<ProjectFile>& tests);

/// "3 files in src, src/util".
std::string describe(const std::vector<ProjectFile>& files);

}  // namespace instar::engine
