#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_files.h"

namespace instar::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CommandFiles, ScriptsOfInterpreters) {
  EXPECT_THAT(files_run_by("python3 bench.py --size 3"), ElementsAre("bench.py"));
  EXPECT_THAT(files_run_by("/usr/bin/python3.11 -B './tools/bench.py'"),
              ElementsAre("tools/bench.py"));
  EXPECT_THAT(files_run_by("LANG=C exec sh -e run.sh > $INSTAR_OUT/log"), ElementsAre("run.sh"));
  EXPECT_THAT(files_run_by("python3 -m tools.bench"), Contains("tools/bench.py"));
  EXPECT_THAT(files_run_by("python3 -c 'import bench'"), IsEmpty());
}

TEST(CommandFiles, EveryCommandOfALine) {
  EXPECT_THAT(files_run_by("cc -o t a.c && ./t | (sh check.sh)"), ElementsAre("t", "check.sh"));
  EXPECT_THAT(files_run_by("make -s test"), Contains("Makefile"));
}

TEST(CommandFiles, WhatAProgramOnlyReadsIsNotRun) {
  EXPECT_THAT(files_run_by("cc -c src/a.c"), IsEmpty());
  EXPECT_THAT(files_run_by("shred src/a.c; pythonic a.py"), IsEmpty());
  EXPECT_THAT(files_run_by(""), IsEmpty());
}

}  // namespace
}  // namespace instar::cli
