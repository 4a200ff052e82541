#pragma once

/* A fraction in lowest terms; the denominator is positive. */
struct fraction {
  long num;
  long den;
};

long gcd(long a, long b); /* of absolute values; gcd(0, 0) is 0 */
long lcm(long a, long b);

struct fraction fraction_make(long num, long den); /* den is not 0 */
struct fraction fraction_add(struct fraction a, struct fraction b);
struct fraction fraction_mul(struct fraction a, struct fraction b);
int fraction_compare(struct fraction a, struct fraction b); /* -1, 0, 1 */
