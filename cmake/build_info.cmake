# What `instar version` tells: build_info.h is written when CMake runs, build_commit.h when the checked-out commit
# changes, so that a commit recompiles one file.
configure_file("${CMAKE_SOURCE_DIR}/cmake/build_info.h.in" "${CMAKE_BINARY_DIR}/embedded/build_info.h" @ONLY)

# Git appends to this log whenever another commit is checked out or made. Without git, or without a repository, the
# commit is unknown, which is no error.
execute_process(COMMAND git -C "${CMAKE_SOURCE_DIR}" rev-parse --absolute-git-dir
  OUTPUT_VARIABLE git_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(commit_log)
if(NOT failed AND EXISTS "${git_dir}/logs/HEAD")
  set(commit_log "${git_dir}/logs/HEAD")
endif()
add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/embedded/build_commit.h"
  COMMAND "${CMAKE_COMMAND}" -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${CMAKE_BINARY_DIR}/embedded/build_commit.h
    -P "${CMAKE_SOURCE_DIR}/cmake/build_commit.cmake"
  DEPENDS "${CMAKE_SOURCE_DIR}/cmake/build_commit.cmake" ${commit_log} VERBATIM)
target_sources(instar_cli PRIVATE "${CMAKE_BINARY_DIR}/embedded/build_commit.h")
