# Writes the bytes of IN as a char array: a raw string literal is capped at 64 KiB by some compilers.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
file(WRITE "${OUT}" "#pragma once\n#include <string_view>\nnamespace instar::embedded {\ninline constexpr char ${SYMBOL}_bytes[] = {${bytes}'\\0'};\ninline constexpr std::string_view ${SYMBOL}{${SYMBOL}_bytes, sizeof(${SYMBOL}_bytes) - 1};\n}\n")
