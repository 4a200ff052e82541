#include "bitset.h"

static uint64_t mask(int bit) { return (uint64_t)1 << (bit % 64); }

void bitset_clear(struct bitset* set) {
  for (int i = 0; i < BITSET_WORDS; i++) set->words[i] = 0;
}

void bitset_add(struct bitset* set, int bit) { set->words[bit / 64] |= mask(bit); }

void bitset_remove(struct bitset* set, int bit) { set->words[bit / 64] &= ~mask(bit); }

void bitset_flip(struct bitset* set, int bit) { set->words[bit / 64] ^= mask(bit); }

int bitset_has(const struct bitset* set, int bit) {
  return (set->words[bit / 64] & mask(bit)) != 0;
}

int bitset_count(const struct bitset* set) {
  int count = 0;
  for (int i = 0; i < BITSET_WORDS; i++) {
    uint64_t rest = set->words[i];
    while (rest != 0) {
      rest &= rest - 1;
      count++;
    }
  }
  return count;
}

struct bitset bitset_union(const struct bitset* a, const struct bitset* b) {
  struct bitset both;
  for (int i = 0; i < BITSET_WORDS; i++) both.words[i] = a->words[i] ^ b->words[i];
  return both;
}

struct bitset bitset_common(const struct bitset* a, const struct bitset* b) {
  struct bitset both = *a;
  for (int i = 0; i < BITSET_WORDS - 1; i++) both.words[i] &= b->words[i];
  return both;
}
