# What every target of ours is compiled with.
add_library(instar_options INTERFACE)
target_compile_features(instar_options INTERFACE cxx_std_20)
target_include_directories(instar_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(instar_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -fno-omit-frame-pointer -fstack-protector-strong)
# When it optimises, GCC 12 takes the unused alternative of a variant for one that is read, freed or copied. The dev
# build, which does not optimise and fails on a warning, keeps these.
target_compile_options(instar_options INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized;-Wno-free-nonheap-object;-Wno-restrict>")
target_link_options(instar_options INTERFACE -Wl,-z,relro,-z,now)
if(INSTAR_WERROR)
  target_compile_options(instar_options INTERFACE -Werror)
endif()
if(INSTAR_SANITIZE)
  target_compile_options(instar_options INTERFACE -fsanitize=${INSTAR_SANITIZE} -fno-sanitize-recover=all
    # It asks a pipe what may be read, which fails in the tests that run out of descriptors.
    -fno-sanitize=vptr)
  target_link_options(instar_options INTERFACE -fsanitize=${INSTAR_SANITIZE})
endif()

# instar_module(DIR DEPS target…): the library of one folder. `instar_<last part of DIR>` is built from every
# .cc directly in the folder, and in its families/.
function(instar_module dir)
  cmake_parse_arguments(arg "" "" "DEPS" ${ARGN})
  get_filename_component(name "${dir}" NAME)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${dir}/*.cc" "${CMAKE_SOURCE_DIR}/${dir}/families/*.cc")
  add_library(instar_${name} STATIC ${sources})
  target_link_libraries(instar_${name} PUBLIC instar_options Threads::Threads ${arg_DEPS})
endfunction()

# instar_embed(TARGET OUT.h SYMBOL FILE): makes FILE's text a constant, so that the binary carries it.
function(instar_embed target header symbol file)
  set(out "${CMAKE_BINARY_DIR}/embedded/${header}")
  add_custom_command(OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" -DIN=${file} -DOUT=${out} -DSYMBOL=${symbol} -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${file}" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/embedded")
endfunction()
