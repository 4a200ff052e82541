#include "utf8.h"

static int follows(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* How many bytes the first one announces. */
static size_t announced(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC1) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  if (lead < 0xF4) return 4;
  return 0;
}

size_t utf8_sequence(const unsigned char* text, size_t size) {
  if (size == 0) return 0;
  size_t length = announced(text[0]);
  if (length == 0 || length > size) return 0;
  for (size_t i = 1; i < length; i++) {
    if (!follows(text[i])) return 0;
  }
  if (text[0] == 0xE0 && text[1] < 0xA0) return 0; /* overlong */
  if (text[0] == 0xED && text[1] > 0x9F) return 0; /* surrogates */
  if (text[0] == 0xF0 && text[1] < 0x90) return 0; /* overlong */
  if (text[0] == 0xF4 && text[1] > 0x8F) return 0; /* beyond U+10FFFF */
  return length;
}

int utf8_valid(const unsigned char* text, size_t size) {
  while (size > 0) {
    size_t length = utf8_sequence(text, size);
    if (length == 0) return 0;
    text += length;
    size -= length;
  }
  return 1;
}
