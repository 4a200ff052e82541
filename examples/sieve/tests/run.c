#include "sieve.h"
#include "tap.h"

static int is_prime(size_t number) {
  if (number < 2) return 0;
  for (size_t factor = 2; factor * factor <= number; factor++) {
    if (number % factor == 0) return 0;
  }
  return 1;
}

int main(void) {
  plan(13);
  check(count_primes(0) == 0 && count_primes(1) == 0, "no primes below two");
  check(count_primes(2) == 1, "two is prime");
  check(count_primes(3) == 2, "three is prime");
  check(count_primes(4) == 2, "four is not");
  check(count_primes(9) == 4, "nine is a square");
  check(count_primes(10) == 4, "up to ten");
  check(count_primes(100) == 25, "up to a hundred");
  check(count_primes(1000) == 168, "up to a thousand");
  check(count_primes(100000) == 9592, "up to a hundred thousand");
  check(largest_prime(1) == 0 && largest_prime(2) == 2, "largest of few");
  check(largest_prime(9) == 7 && largest_prime(121) == 113, "largest below a square");
  check(largest_prime(65536) == 65521, "largest of many");
  int same = 1;
  size_t primes = 0;
  for (size_t limit = 0; limit < 400; limit++) {
    primes += is_prime(limit);
    same = same && count_primes(limit) == primes;
  }
  check(same, "agrees with trial division everywhere");
  return tap_failed;
}
