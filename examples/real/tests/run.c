/* The library against its own samples, and the code lengths that it gives to symbols. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bzlib_private.h"
#include "tap.h"

enum { kBuffer = 1 << 19, kLongest = 17, kSymbols = 34 };

static char plain[kBuffer], packed[kBuffer], made[kBuffer];

static unsigned load(const char* name, char* into) {
  FILE* file = fopen(name, "rb");
  if (file == NULL) exit(2);
  unsigned size = fread(into, 1, kBuffer, file);
  fclose(file);
  return size;
}

/* Sample N is kept as it was and as `bzip2 -N` packs it. */
static void check_sample(int number) {
  char name[40], text[60];
  sprintf(name, "sample%d.ref", number);
  unsigned plain_size = load(name, plain);
  sprintf(name, "sample%d.bz2", number);
  unsigned packed_size = load(name, packed);

  unsigned size = kBuffer;
  int status = BZ2_bzBuffToBuffCompress(made, &size, plain, plain_size, number, 0, 30);
  sprintf(text, "sample %d is packed as it was", number);
  check(status == BZ_OK && size == packed_size && memcmp(made, packed, size) == 0, text);

  size = kBuffer;
  status = BZ2_bzBuffToBuffDecompress(made, &size, packed, packed_size, 0, 0);
  sprintf(text, "sample %d comes back", number);
  check(status == BZ_OK && size == plain_size && memcmp(made, plain, size) == 0, text);

  packed[packed_size / 2] ^= 1;
  size = kBuffer;
  sprintf(text, "sample %d with a bit turned is refused", number);
  check(BZ2_bzBuffToBuffDecompress(made, &size, packed, packed_size, 0, 0) != BZ_OK, text);
}

/* Frequencies that make the deepest trees, the commonest symbol first. */
static void steep(Int32* freq, int symbols) {
  Int32 a = 1, b = 1;
  for (int i = symbols - 1; i >= 0; i--) {
    freq[i] = a;
    Int32 next = a + b;
    a = b;
    b = next < 800000 ? next : 800000;
  }
}

/* Whether the lengths make a full code: the shares of all symbols add up to one. */
static int full(const UChar* lengths, int symbols) {
  long shares = 0;
  for (int i = 0; i < symbols; i++) {
    if (lengths[i] < 1 || lengths[i] > kLongest) return 0;
    shares += 1L << (kLongest - lengths[i]);
  }
  return shares == 1L << kLongest;
}

/* A symbol's length must not depend on its place: the table is turned by `turn` and compared. */
static void check_lengths(int symbols, int turn) {
  Int32 freq[kSymbols], turned[kSymbols];
  UChar wanted[kSymbols], lengths[kSymbols];
  char text[80];
  steep(freq, symbols);
  for (int i = 0; i < symbols; i++) turned[(i + turn) % symbols] = freq[i];
  BZ2_hbMakeCodeLengths(wanted, freq, symbols, kLongest);
  BZ2_hbMakeCodeLengths(lengths, turned, symbols, kLongest);
  int same = full(wanted, symbols) && full(lengths, symbols);
  for (int i = 0; i < symbols; i++) same = same && lengths[(i + turn) % symbols] == wanted[i];
  sprintf(text, "%d symbols, the commonest at place %d", symbols, turn);
  check(same, text);
}

int main(void) {
  plan(21);
  for (int sample = 1; sample <= 3; sample++) check_sample(sample);
  for (int symbols = 20; symbols <= kSymbols; symbols += 7) {
    check_lengths(symbols, 0);
    check_lengths(symbols, 1);
    check_lengths(symbols, symbols / 2);
    check_lengths(symbols, symbols - 1);
  }
  return tap_failed;
}
