# How every source of the project is compiled and linked.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_COLOR_DIAGNOSTICS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# One folder for all executables: tests find the program, helper programs and preload libraries there.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# All code is linked into position-independent programs. Set for libraries and programs alike, because a
# precompiled header is valid only for sources that are compiled with the same setting.
add_compile_options(-fPIE)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)

# ccache accepts precompiled headers only with relaxed checks of macros and file times.
if(CAIRN_CCACHE)
  find_program(CAIRN_CCACHE_PROGRAM ccache)
  if(CAIRN_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CAIRN_CCACHE_PROGRAM}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
      add_compile_options(-fpch-preprocess)
    endif()
  endif()
endif()

# clang 14 compiles C++20 coroutines, but announces them neither to libstdc++ nor to Asio.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  add_compile_definitions(__cpp_impl_coroutine=201902L BOOST_ASIO_HAS_CO_AWAIT=1 BOOST_ASIO_HAS_STD_COROUTINE=1)
endif()

# Sanitizers are directory-wide, so that no library is omitted by mistake. cairn_preload() removes them.
if(CAIRN_SANITIZE)
  add_compile_options("-fsanitize=${CAIRN_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${CAIRN_SANITIZE}")
endif()

if(CAIRN_HARDENED)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
endif()

# Our own sources link this; generated and foreign sources do not.
add_library(cairn_warnings INTERFACE)
target_compile_options(cairn_warnings INTERFACE
  -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow> -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
if(CMAKE_UNITY_BUILD)
  # These warn about names at namespace level of separate files. `./run tidy` compiles the files one by one.
  target_compile_options(cairn_warnings INTERFACE -Wshadow=local -Wno-subobject-linkage)
endif()
if(CAIRN_WERROR)
  target_compile_options(cairn_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlapping copies inside std::string where there are none (its bug 105651), and its warnings about
  # bounds and initialization depend on inlining. They are shown, but are not errors.
  target_compile_options(cairn_warnings INTERFACE
    -Wno-restrict -Wno-missing-field-initializers -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=array-bounds -Wno-error=free-nonheap-object -Wno-error=mismatched-new-delete)
  if(NOT CAIRN_WERROR)
    # What users build shows none of them: which there are depends on the compiler's decisions about inlining, and users
    # cannot do anything about them. The preset dev shows them.
    target_compile_options(cairn_warnings INTERFACE
      -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-free-nonheap-object
      -Wno-mismatched-new-delete)
  endif()
  if(CAIRN_SANITIZE)
    # With instrumentation, the compiler cannot tell what is initialized. Asio uses thread fences, which the thread
    # sanitizer does not support.
    target_compile_options(cairn_warnings INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
  endif()
endif()
