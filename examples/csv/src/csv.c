#include "csv.h"

static int finish(struct csv_row* row, const char* field, int length) {
  if (row->count == CSV_FIELDS) return 0;
  for (int i = 0; i < length; i++) row->fields[row->count][i] = field[i];
  row->fields[row->count][length] = '\0';
  row->count++;
  return 1;
}

int csv_parse(const char* line, struct csv_row* row) {
  char field[CSV_LENGTH];
  int length, quoted;
  row->count = 0;
  length = 0;
  quoted = 0;
  for (const char* at = line; *at != '\0'; at++) {
    if (*at == '"') {
      if (quoted && at[1] == '"') {
        at++;
      } else {
        quoted = !quoted;
        continue;
      }
    } else if (*at == ',' && !quoted) {
      if (!finish(row, field, length)) return 0;
      quoted = 0;
      continue;
    }
    if (length == CSV_LENGTH - 1) return 0;
    field[length] = *at;
    length++;
  }
  if (quoted) return 0;
  return finish(row, field, length);
}
