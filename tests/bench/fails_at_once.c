/* A test suite of one test that always fails: what is measured around it is the engine's own cost.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/run.tap", getenv("INSTAR_OUT"));
  FILE* report = fopen(path, "w");
  if (report == NULL) return 2;
  fputs("1..1\nnot ok 1 - always\n", report);
  return fclose(report) == 0 ? 1 : 2;
}
