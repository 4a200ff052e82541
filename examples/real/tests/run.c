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

static void check_round_trip(const char* text, const char* name) {
  unsigned packed_size = kBuffer, size = kBuffer;
  int status = BZ2_bzBuffToBuffCompress(packed, &packed_size, (char*)text, strlen(text), 1, 0, 0);
  if (status == BZ_OK) {
    status = BZ2_bzBuffToBuffDecompress(made, &size, packed, packed_size, 0, 0);
  }
  check(status == BZ_OK && size == strlen(text) && memcmp(made, text, size) == 0, name);
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
static int full(const UChar* lengths, int symbols, int limit) {
  long shares = 0;
  for (int i = 0; i < symbols; i++) {
    if (lengths[i] < 1 || lengths[i] > limit) return 0;
    shares += 1L << (limit - lengths[i]);
  }
  return shares == 1L << limit;
}

/* A symbol's length must not depend on its place: the table, turned in every way, gives the lengths
 * turned. */
static int place_counts_for_nothing(int symbols) {
  Int32 freq[kSymbols], turned[kSymbols];
  UChar wanted[kSymbols], lengths[kSymbols];
  steep(freq, symbols);
  BZ2_hbMakeCodeLengths(wanted, freq, symbols, kLongest);
  for (int turn = 1; turn < symbols; turn++) {
    for (int i = 0; i < symbols; i++) turned[(i + turn) % symbols] = freq[i];
    BZ2_hbMakeCodeLengths(lengths, turned, symbols, kLongest);
    for (int i = 0; i < symbols; i++) {
      if (lengths[(i + turn) % symbols] != wanted[i]) return 0;
    }
  }
  return 1;
}

static int always_full(int limit) {
  for (int symbols = 2; symbols <= kSymbols; symbols++) {
    Int32 freq[kSymbols];
    UChar lengths[kSymbols];
    steep(freq, symbols);
    BZ2_hbMakeCodeLengths(lengths, freq, symbols, limit);
    if (!full(lengths, symbols, limit)) return 0;
  }
  return 1;
}

int main(void) {
  plan(14);
  for (int sample = 1; sample <= 3; sample++) check_sample(sample);
  check_round_trip("", "nothing comes back");
  check_round_trip("a", "one letter comes back");
  check(always_full(kLongest), "every code is full");
  check(always_full(8), "every short code is full");
  int same = 1;
  for (int symbols = 18; symbols <= kSymbols; symbols += 4) {
    same = same && place_counts_for_nothing(symbols);
  }
  check(same, "a symbol's place does not count");
  return tap_failed;
}
