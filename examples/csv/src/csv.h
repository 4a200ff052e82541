#pragma once

#define CSV_FIELDS 8
#define CSV_LENGTH 40

struct csv_row {
  char fields[CSV_FIELDS][CSV_LENGTH];
  int count;
};

/* Splits one line. A field may be in double quotes; two of them inside mean one.
   Returns 0 for too many or too long fields, and for a quote that is not closed. */
int csv_parse(const char* line, struct csv_row* row);
