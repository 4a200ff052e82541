#include "fraction.h"

#include <stdlib.h>

long gcd(long a, long b) {
  a = labs(a);
  b = labs(b);
  while (b != 0) {
    long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

long lcm(long a, long b) {
  if (a == 0 || b == 0) return 0;
  return labs(a * gcd(a, b) * b);
}

struct fraction fraction_make(long num, long den) {
  struct fraction made;
  long common = gcd(num, den);
  if (den < 0) common = -common;
  made.num = num / common;
  made.den = den / common;
  return made;
}

struct fraction fraction_add(struct fraction a, struct fraction b) {
  long den = lcm(a.den, b.den);
  return fraction_make(a.num * (den / a.den) - b.num * (den / b.den), den);
}

struct fraction fraction_mul(struct fraction a, struct fraction b) {
  return fraction_make(a.num * b.num, a.den * b.den);
}

int fraction_compare(struct fraction a, struct fraction b) {
  long left = a.num * b.den;
  long right = b.num * a.den;
  return (left > right) - (left < right);
}
