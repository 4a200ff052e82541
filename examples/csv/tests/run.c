#include <string.h>

#include "csv.h"
#include "tap.h"

static struct csv_row row;

/* Whether `line` gives exactly the fields that `wanted` names, separated by '|'. */
static int gives(const char* line, const char* wanted) {
  char joined[CSV_FIELDS * (CSV_LENGTH + 1)] = "";
  memset(&row, 'x', sizeof row);
  if (!csv_parse(line, &row)) return 0;
  for (int i = 0; i < row.count; i++) {
    if (i > 0) strcat(joined, "|");
    strncat(joined, row.fields[i], CSV_LENGTH);
  }
  return strcmp(joined, wanted) == 0;
}

static int refuses(const char* line) { return !csv_parse(line, &row); }

int main(void) {
  plan(20);
  check(gives("", ""), "an empty line is one empty field");
  check(gives("one", "one"), "one field");
  check(gives("one,two", "one|two"), "two fields");
  check(gives("a,b,c,d,e,f,g,h", "a|b|c|d|e|f|g|h"), "as many fields as fit");
  check(gives(",", "|"), "two empty fields");
  check(gives("a,,c", "a||c"), "an empty field in the middle");
  check(gives(" a , b ", " a | b "), "spaces belong to the field");
  check(gives("\"a\"", "a"), "quotes do not belong to the field");
  check(gives("\"a,b\"", "a,b"), "a comma in quotes");
  check(gives("\"a,b\",c", "a,b|c"), "a field after a quoted one");
  check(gives("a,\"b,c\"", "a|b,c"), "a quoted field after another");
  check(gives("\"say \"\"hi\"\"\"", "say \"hi\""), "two quotes mean one");
  check(gives("\"\"", ""), "an empty quoted field");
  check(gives("\"\",x", "|x"), "a field after an empty quoted one");
  check(gives("\"\"\"\"", "\""), "only a quote");
  check(gives("long,er,and,s,hort", "long|er|and|s|hort"), "fields of different length");
  check(refuses("a,b,c,d,e,f,g,h,i"), "too many fields");
  check(refuses("\"open"), "a quote that is not closed");
  check(refuses("0123456789012345678901234567890123456789"), "a field that is too long");
  check(gives("012345678901234567890123456789012345678", "012345678901234567890123456789012345678"),
        "a field as long as may be");
  return tap_failed;
}
