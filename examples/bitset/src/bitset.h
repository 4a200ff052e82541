#pragma once

#include <stdint.h>

#define BITSET_BITS 192
#define BITSET_WORDS (BITSET_BITS / 64)

struct bitset {
  uint64_t words[BITSET_WORDS];
};

void bitset_clear(struct bitset* set);
void bitset_add(struct bitset* set, int bit);
void bitset_remove(struct bitset* set, int bit);
void bitset_flip(struct bitset* set, int bit);
int bitset_has(const struct bitset* set, int bit);
int bitset_count(const struct bitset* set);
struct bitset bitset_union(const struct bitset* a, const struct bitset* b);
struct bitset bitset_common(const struct bitset* a, const struct bitset* b);
