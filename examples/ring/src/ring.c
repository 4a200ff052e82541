#include "ring.h"

static int wrapped(int slot) {
  if (slot > RING_SLOTS) slot -= RING_SLOTS;
  return slot;
}

void ring_init(struct ring* ring) {
  for (int i = 0; i < RING_SLOTS; i++) ring->slots[i] = 0;
  ring->first = 0;
  ring->used = 0;
}

int ring_push(struct ring* ring, int value) {
  if (ring->used == RING_SLOTS) return 0;
  ring->slots[wrapped(ring->first + ring->used)] = value;
  ring->used++;
  return 1;
}

int ring_pop(struct ring* ring, int* value) {
  if (ring->used == 0) return 0;
  ring->first = wrapped(ring->first + 1);
  *value = ring->slots[ring->first];
  ring->used--;
  return 1;
}

int ring_peek(const struct ring* ring, int age, int* value) {
  if (age < 0 || age >= ring->used) return 0;
  *value = ring->slots[wrapped(ring->first + age)];
  return 1;
}
