#pragma once

#include <stddef.h>

/* How many primes there are up to and with `limit`. */
size_t count_primes(size_t limit);

/* The largest prime that is not above `limit`; 0 when there is none. */
size_t largest_prime(size_t limit);
