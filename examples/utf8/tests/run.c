/* Writes its results as a JUnit report. */
#include <stdio.h>
#include <string.h>

#include "utf8.h"

static const struct {
  const char* name;
  const char* bytes;
  int valid;
} cases[] = {
    {"nothing", "", 1},
    {"ascii", "plain \x7f text", 1},
    {"two bytes", "\xC2\x80 \xC3\xA9 \xDF\xBF", 1},
    {"three bytes", "\xE0\xA0\x80 \xE2\x82\xAC \xEF\xBF\xBD", 1},
    {"four bytes", "\xF0\x90\x80\x80 \xF0\x9F\xA6\x8B", 1},
    {"last below plane sixteen", "\xF3\xBF\xBF\xBF", 1},
    {"first of plane sixteen", "\xF4\x80\x80\x80", 1},
    {"last code point", "\xF4\x8F\xBF\xBF", 1},
    {"beside the surrogates", "\xED\x9F\xBF \xEE\x80\x80", 1},
    {"lone follower", "\x80", 0},
    {"last follower alone", "a\xBF", 0},
    {"overlong slash", "\xC0\xAF", 0},
    {"overlong in two bytes", "\xC1\xBF", 0},
    {"overlong first of two bytes", "\xC1\x80", 0},
    {"overlong in three bytes", "\xE0\x9F\xBF", 0},
    {"overlong in four bytes", "\xF0\x8F\xBF\xBF", 0},
    {"first surrogate", "\xED\xA0\x80", 0},
    {"last surrogate", "\xED\xBF\xBF", 0},
    {"beyond the last code point", "\xF4\x90\x80\x80", 0},
    {"far beyond", "\xF5\x80\x80\x80", 0},
    {"no lead byte", "\xFF", 0},
    {"two bytes cut", "\xC3", 0},
    {"three bytes cut", "\xE2\x82", 0},
    {"four bytes cut", "\xF0\x9F\xA6", 0},
    {"ascii in place of a follower", "\xC3(", 0},
    {"lead in place of a follower", "\xE2\x82\xC3", 0},
    {"wrong third follower", "\xF0\x9F\xA6\xC0", 0},
};
enum { kCases = sizeof cases / sizeof cases[0] };

int main(void) {
  int results[kCases], failed = 0;
  for (int i = 0; i < kCases; i++) {
    const unsigned char* bytes = (const unsigned char*)cases[i].bytes;
    results[i] = utf8_valid(bytes, strlen(cases[i].bytes)) == cases[i].valid;
    failed += !results[i];
  }
  printf("<?xml version=\"1.0\"?>\n<testsuite name=\"utf8\" tests=\"%d\" failures=\"%d\">\n",
         (int)kCases, failed);
  for (int i = 0; i < kCases; i++) {
    printf("  <testcase classname=\"utf8\" name=\"%s\">%s</testcase>\n", cases[i].name,
           results[i] ? "" : "<failure message=\"not as expected\"/>");
  }
  printf("</testsuite>\n");
  return failed != 0;
}
