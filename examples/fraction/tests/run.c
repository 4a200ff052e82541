#include "fraction.h"
#include "tap.h"

static int is(struct fraction value, long num, long den) {
  return value.num == num && value.den == den;
}

static struct fraction sum(long a, long b, long c, long d) {
  return fraction_add(fraction_make(a, b), fraction_make(c, d));
}

int main(void) {
  plan(24);
  check(gcd(12, 18) == 6, "gcd of two multiples");
  check(gcd(17, 5) == 1, "gcd of primes");
  check(gcd(0, 9) == 9 && gcd(9, 0) == 9, "gcd with nought");
  check(gcd(-12, 18) == 6 && gcd(12, -18) == 6, "gcd ignores signs");
  check(lcm(4, 6) == 12, "lcm with a common factor");
  check(lcm(5, 7) == 35, "lcm without a common factor");
  check(lcm(6, 3) == 6, "lcm of a multiple");
  check(lcm(0, 3) == 0 && lcm(3, 0) == 0, "lcm with nought");
  check(lcm(-4, 6) == 12, "lcm ignores signs");
  check(lcm(1, 1) == 1, "lcm of one");
  check(is(fraction_make(6, 8), 3, 4), "make reduces");
  check(is(fraction_make(3, -4), -3, 4), "make moves the sign up");
  check(is(fraction_make(-3, -6), 1, 2), "make drops two signs");
  check(is(fraction_make(0, -5), 0, 1), "make of nought");
  check(is(sum(0, 1, 3, 7), 3, 7), "add to nought");
  check(is(sum(3, 7, 0, 1), 3, 7), "add nought");
  check(is(sum(1, 2, 1, 3), 5, 6), "add without a common factor");
  check(is(sum(1, 4, 1, 6), 5, 12), "add with a common factor");
  check(is(sum(1, 2, -1, 2), 0, 1), "add to nothing");
  check(is(sum(5, 6, 7, 6), 2, 1), "add over one");
  check(is(fraction_mul(fraction_make(2, 3), fraction_make(9, 4)), 3, 2), "multiply reduces");
  check(is(fraction_mul(fraction_make(-2, 3), fraction_make(1, 2)), -1, 3),
        "multiply keeps the sign");
  check(fraction_compare(fraction_make(1, 3), fraction_make(1, 2)) == -1, "compare less");
  check(fraction_compare(fraction_make(-1, 3), fraction_make(-1, 2)) == 1 &&
            fraction_compare(fraction_make(2, 4), fraction_make(1, 2)) == 0,
        "compare more and equal");
  return tap_failed;
}
