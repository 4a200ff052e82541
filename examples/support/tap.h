#pragma once

#include <stdio.h>

static int tap_done, tap_failed;

static void plan(int tests) { printf("1..%d\n", tests); }

static void check(int holds, const char* name) {
  printf("%sok %d - %s\n", holds ? "" : "not ", ++tap_done, name);
  fflush(stdout); /* a crash in the next test leaves this one told */
  if (!holds) tap_failed = 1;
}
