include(GNUInstallDirs)

# cairn_link(<target> <scope> <dep>...) links the cairn_ libraries that exist, and all other dependencies.
function(cairn_link target scope)
  foreach(dep IN LISTS ARGN)
    if(TARGET ${dep} OR NOT dep MATCHES "^cairn_")
      target_link_libraries(${target} ${scope} ${dep})
    endif()
  endforeach()
endfunction()

# cairn_unity(<target> <source>...) compiles the sources of one folder as one unit, where the preset enables it
# (CMAKE_UNITY_BUILD): most of the compile time of a source is reading headers. Names in anonymous namespaces must
# therefore be unique in their folder. Sources that need headers with other settings are compiled alone: *_avx2.cc.
function(cairn_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    if(source MATCHES "_avx2\\.cc$")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# cairn_capnp(<target> <schema>...) compiles Cap'n Proto schemas into `target`. A schema eventstore/format/x.capnp is
# included as "eventstore/format/x.capnp.h", by the target and by all targets that link it.
function(cairn_capnp target)
  set(generated_root "${PROJECT_BINARY_DIR}/generated")
  foreach(schema IN LISTS ARGN)
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${schema}")
    set(source "${generated_root}/${relative}.c++")
    add_custom_command(
      OUTPUT "${source}" "${generated_root}/${relative}.h"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${generated_root}"
      COMMAND "${CAIRN_CAPNP_PROGRAM}" compile "-oc++:${generated_root}"
              "--src-prefix=${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}" "${schema}"
      DEPENDS ${ARGN}
      COMMENT "Compiling ${relative}"
      VERBATIM)
    set_source_files_properties("${source}" PROPERTIES
      LANGUAGE CXX COMPILE_OPTIONS "-w" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE "${source}" "${generated_root}/${relative}.h")
  endforeach()
  # As a system folder: the generated headers do not compile without warnings.
  target_include_directories(${target} SYSTEM PUBLIC "$<BUILD_INTERFACE:${generated_root}>")
endfunction()

# cairn_embed(<target> <file>) makes a text file includable as a string literal: api/x/y.json as
# "api/x/y.json.inc". @PROJECT_VERSION@ is replaced by the project's version.
function(cairn_embed target file)
  set(text "${PROJECT_SOURCE_DIR}/${file}")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${text}")
  file(READ "${text}" content)
  string(REPLACE "@PROJECT_VERSION@" "${PROJECT_VERSION}" content "${content}")
  # Compilers limit the length of a literal, but join adjacent ones.
  string(REGEX REPLACE "([^\n]*\n)" "R\"#(\\1)#\"\n" content "${content}")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${file}.inc" CONTENT "@content@" @ONLY)
  target_include_directories(${target} SYSTEM PRIVATE "${PROJECT_BINARY_DIR}/generated")
endfunction()

# cairn_library(<folder> DEPS <target>... [HEADERS <target>...] [OPTIONAL <target>...] [DEFINES <macro>...]
#               [PRECOMPILE <header>...])
# makes the static library cairn_<folder>, with the other name cairn::<folder>, from every .cc and .capnp below the
# folder. A folder that has none yet makes no target. OPTIONAL targets are linked if they exist. HEADERS are libraries
# of headers that public headers do not include: programs that use an installed Cairn do not need them.
function(cairn_library folder)
  cmake_parse_arguments(arg "" "" "DEPS;HEADERS;OPTIONAL;DEFINES;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc")
  file(GLOB_RECURSE schemas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.capnp")
  if(NOT sources AND NOT schemas)
    return()
  endif()

  set(target cairn_${folder})
  add_library(${target} STATIC ${sources})
  cairn_unity(${target} ${sources})
  add_library(cairn::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/cairn>")
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_compile_definitions(${target} PUBLIC ${arg_DEFINES})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:cairn_warnings>)
  cairn_link(${target} PUBLIC ${arg_DEPS})
  foreach(dep IN LISTS arg_HEADERS)
    target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:${dep}>)
  endforeach()
  foreach(dep IN LISTS arg_OPTIONAL)
    if(TARGET ${dep})
      target_link_libraries(${target} PUBLIC ${dep})
    endif()
  endforeach()
  if(schemas)
    cairn_capnp(${target} ${schemas})
  endif()
  if(arg_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${arg_PRECOMPILE})
  endif()
endfunction()

# cairn_program(<name>) makes the program from tools/*.cc, and from tools/cli the library cairn_tools, so that
# tests can link the commands without the main function.
function(cairn_program name)
  file(GLOB main_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/*.cc")
  file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/cli/*.cc")
  set(deps cairn_bench cairn_api cairn_projections cairn_upcasters cairn_schemaregistry cairn_eventstore
           CLI11::CLI11 cairn::toml nlohmann_json::nlohmann_json Threads::Threads)

  if(cli_sources)
    add_library(cairn_tools STATIC ${cli_sources})
    cairn_unity(cairn_tools ${cli_sources})
    target_include_directories(cairn_tools PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(cairn_tools PRIVATE cairn_warnings)
    cairn_link(cairn_tools PUBLIC ${deps})
    target_precompile_headers(cairn_tools PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp> <fmt/format.h>)
  endif()
  if(main_sources)
    add_executable(${name} ${main_sources})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${name} PRIVATE CAIRN_VERSION="${PROJECT_VERSION}")
    cairn_link(${name} PRIVATE cairn_warnings cairn_tools ${deps})
  endif()
endfunction()
