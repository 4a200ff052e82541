#pragma once

#include <stddef.h>

/* Length of the valid UTF-8 sequence that begins at `text`, of which `size` bytes may be read; 0
 * when there is none. */
size_t utf8_sequence(const unsigned char* text, size_t size);

int utf8_valid(const unsigned char* text, size_t size);
