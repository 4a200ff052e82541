#include "ring.h"
#include "tap.h"

/* Guards on both sides show a write beside the ring. */
static struct {
  int before[4];
  struct ring ring;
  int after[4];
} memory;

static struct ring* fresh(void) {
  for (int i = 0; i < 4; i++) memory.before[i] = memory.after[i] = 77;
  ring_init(&memory.ring);
  return &memory.ring;
}

static int intact(void) {
  const struct ring* ring = &memory.ring;
  for (int i = 0; i < 4; i++) {
    if (memory.before[i] != 77 || memory.after[i] != 77) return 0;
  }
  return ring->first >= 0 && ring->first < RING_SLOTS && ring->used >= 0 &&
         ring->used <= RING_SLOTS;
}

static int push_many(struct ring* ring, int from, int count) {
  int pushed = 0;
  for (int i = 0; i < count; i++) pushed += ring_push(ring, from + i);
  return pushed;
}

static int pops(struct ring* ring, int from, int count) {
  for (int i = 0; i < count; i++) {
    int value = -1;
    if (!ring_pop(ring, &value) || value != from + i) return 0;
  }
  return 1;
}

static int peeks(struct ring* ring, int age, int wanted) {
  int value = -1;
  return ring_peek(ring, age, &value) && value == wanted;
}

int main(void) {
  int value = 42;
  plan(15);
  struct ring* ring = fresh();
  check(!ring_pop(ring, &value) && value == 42, "pop of an empty ring gives nothing");
  check(!ring_peek(ring, 0, &value), "peek into an empty ring gives nothing");
  check(ring_push(ring, 10) && peeks(ring, 0, 10), "the first number can be seen");
  check(ring_pop(ring, &value) && value == 10, "the first number comes out");
  ring = fresh();
  check(push_many(ring, 20, 3) == 3 && peeks(ring, 0, 20) && peeks(ring, 2, 22),
        "ages count from the oldest");
  check(!ring_peek(ring, 3, &value) && !ring_peek(ring, -1, &value),
        "ages beyond the ends give nothing");
  check(pops(ring, 20, 3), "first in, first out");
  ring = fresh();
  check(push_many(ring, 30, RING_SLOTS) == RING_SLOTS, "takes as many as there are slots");
  check(!ring_push(ring, 99), "a full ring takes no more");
  check(pops(ring, 30, RING_SLOTS), "a full ring gives all in order");
  ring = fresh();
  push_many(ring, 0, 3);
  pops(ring, 0, 3);
  ring->first = 3;
  check(push_many(ring, 40, 4) == 4 && peeks(ring, 0, 40) && peeks(ring, 1, 41),
        "numbers before the end of the slots");
  check(ring->slots[0] == 42 && ring->slots[1] == 43, "numbers go on at the first slot");
  check(peeks(ring, 2, 42) && peeks(ring, 3, 43), "numbers beyond the end can be seen");
  ring = fresh();
  int same = 1;
  for (int round = 0; round < 23; round++) {
    same = same && push_many(ring, 10 * round, 2) == 2 && pops(ring, 10 * round, 2);
  }
  check(same, "in order through many rounds");
  check(intact(), "nothing beside the ring is touched");
  return tap_failed;
}
