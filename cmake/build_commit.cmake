# Writes the checked-out commit of SOURCE to OUT; an empty one where there is no git or no repository of its own.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --show-toplevel HEAD
  OUTPUT_VARIABLE told OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(commit "")
if(NOT failed)
  string(REGEX MATCH "^(.*)\n([0-9a-f]+)$" matched "${told}")
  file(REAL_PATH "${SOURCE}" source)
  # An unpacked copy inside somebody else's repository is no commit of that one.
  if(matched AND CMAKE_MATCH_1 STREQUAL source)
    set(commit "${CMAKE_MATCH_2}")
  endif()
endif()
file(WRITE "${OUT}" "#pragma once\n#include <string_view>\nnamespace instar::build_info {\ninline constexpr std::string_view kCommit = \"${commit}\";\n}\n")
