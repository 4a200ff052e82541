#include <stdio.h>

#include "sieve.h"

int main(void) {
  size_t primes = 0;
  for (int i = 0; i < 3; i++) primes += count_primes(4000000 + i);
  printf("%zu\n", primes);
  return primes != 849438;
}
