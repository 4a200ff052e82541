#include "bitset.h"
#include "tap.h"

static struct bitset of(const int* bits) {
  struct bitset set;
  bitset_clear(&set);
  for (; *bits >= 0; bits++) bitset_add(&set, *bits);
  return set;
}

static int has_exactly(const struct bitset* set, const int* bits) {
  struct bitset wanted = of(bits);
  for (int i = 0; i < BITSET_WORDS; i++) {
    if (set->words[i] != wanted.words[i]) return 0;
  }
  return 1;
}

#define LIST(...) ((const int[]){__VA_ARGS__, -1})

static int union_is(const int* a, const int* b, const int* wanted) {
  struct bitset left = of(a), right = of(b), both = bitset_union(&left, &right);
  return has_exactly(&both, wanted);
}

static int common_is(const int* a, const int* b, const int* wanted) {
  struct bitset left = of(a), right = of(b), both = bitset_common(&left, &right);
  return has_exactly(&both, wanted);
}

int main(void) {
  struct bitset set;
  plan(22);
  bitset_clear(&set);
  check(bitset_count(&set) == 0, "a cleared set is empty");
  bitset_add(&set, 0);
  bitset_add(&set, 63);
  bitset_add(&set, 64);
  bitset_add(&set, 191);
  check(has_exactly(&set, LIST(0, 63, 64, 191)), "add reaches every word");
  bitset_add(&set, 63);
  check(bitset_count(&set) == 4, "adding twice is adding once");
  check(bitset_has(&set, 191) && !bitset_has(&set, 190) && !bitset_has(&set, 127),
        "has tells bits apart");
  bitset_remove(&set, 64);
  check(has_exactly(&set, LIST(0, 63, 191)), "remove takes one bit");
  bitset_remove(&set, 64);
  check(has_exactly(&set, LIST(0, 63, 191)), "remove of a missing bit changes nothing");
  bitset_flip(&set, 64);
  check(has_exactly(&set, LIST(0, 63, 64, 191)), "flip sets a missing bit");
  bitset_flip(&set, 0);
  check(has_exactly(&set, LIST(63, 64, 191)), "flip clears a bit");
  for (int i = 0; i < BITSET_BITS; i++) bitset_add(&set, i);
  check(bitset_count(&set) == BITSET_BITS, "a full set has every bit");
  check(union_is(LIST(1, 70), LIST(2, 130), LIST(1, 2, 70, 130)), "union of strangers");
  check(union_is(LIST(1, 2), LIST(2, 3), LIST(1, 2, 3)), "union with a bit in both");
  check(union_is(LIST(1, 100, 180), LIST(1, 100, 180), LIST(1, 100, 180)), "union with itself");
  check(union_is(LIST(-1), LIST(5, 191), LIST(5, 191)), "union with nothing");
  check(union_is(LIST(64, 65), LIST(65, 66), LIST(64, 65, 66)), "union in the second word");
  check(union_is(LIST(190, 191), LIST(128, 191), LIST(128, 190, 191)), "union in the last word");
  check(common_is(LIST(1, 2), LIST(2, 3), LIST(2)), "common bit");
  check(common_is(LIST(1, 70), LIST(2, 71), LIST(-1)), "nothing in common");
  check(common_is(LIST(5, 70), LIST(5, 70), LIST(5, 70)), "common with itself");
  check(common_is(LIST(130, 191), LIST(130, 190), LIST(130)), "common bit in the last word");
  check(common_is(LIST(0, 64, 128), LIST(0, 64, 128), LIST(0, 64, 128)),
        "common bits in every word");
  check(common_is(LIST(128, 191), LIST(129, 190), LIST(-1)), "nothing in common in the last word");
  check(common_is(LIST(63, 127, 191), LIST(191), LIST(191)), "the last bit in common");
  return tap_failed;
}
