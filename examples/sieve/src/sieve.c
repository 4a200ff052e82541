#include "sieve.h"

#include <stdlib.h>

/* What one pass over the numbers found. */
struct found {
  size_t primes;
  size_t largest;
};

static void strike_out(unsigned char* factored, size_t number, size_t limit) {
  for (size_t multiple = number + number; multiple <= limit; multiple += number) {
    factored[multiple] = 1;
  }
}

static struct found sieve(size_t limit) {
  struct found found = {0, 0};
  unsigned char* factored = calloc(limit + 1, 1);
  if (factored == NULL) return found;
  for (size_t number = 2; number <= limit; number++) {
    strike_out(factored, number, limit);
    if (factored[number]) continue;
    found.largest = number;
    found.primes++;
  }
  free(factored);
  return found;
}

size_t count_primes(size_t limit) { return sieve(limit).primes; }

size_t largest_prime(size_t limit) { return sieve(limit).largest; }
