#pragma once

#define RING_SLOTS 5

/* A queue of at most RING_SLOTS numbers in a ring of fixed size. */
struct ring {
  int slots[RING_SLOTS];
  int first; /* slot of the oldest number */
  int used;
};

void ring_init(struct ring* ring);
int ring_push(struct ring* ring, int value); /* 0 when full */
int ring_pop(struct ring* ring, int* value); /* 0 when empty */
int ring_peek(const struct ring* ring, int age,
              int* value); /* age 0 is the oldest; 0 when there is none */
