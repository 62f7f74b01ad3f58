# The libraries that Cairn's own libraries are linked with. Included by the build, and by the cairnConfig.cmake that is
# installed. Libraries without a usable CMake package get a cairn:: target here, so that the rest does not depend on
# how a library was found.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)

# cairn_pkg_library(<name> <pkg-config module>...) makes cairn::<name> from the first module that is installed.
function(cairn_pkg_library name)
  if(TARGET cairn::${name})
    return()
  endif()
  string(TOUPPER "CAIRN_${name}" prefix)
  pkg_search_module(${prefix} REQUIRED QUIET IMPORTED_TARGET GLOBAL ${ARGN})
  add_library(cairn::${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(cairn::${name} INTERFACE PkgConfig::${prefix})
endfunction()

cairn_pkg_library(lmdb lmdb)
cairn_pkg_library(xxhash libxxhash)
# Lua built as C++: its errors are exceptions, so destructors run while they unwind our frames.
cairn_pkg_library(lua_cpp lua5.4-c++ lua-5.4-c++ lua54-c++)

# The runtime library of the schema compiler. pkg-config comes first: Debian's CMake package fails in a project that
# does not enable the language C.
if(NOT TARGET cairn::capnp)
  pkg_check_modules(CAIRN_CAPNP QUIET IMPORTED_TARGET GLOBAL capnp)
  add_library(cairn::capnp INTERFACE IMPORTED GLOBAL)
  if(TARGET PkgConfig::CAIRN_CAPNP)
    target_link_libraries(cairn::capnp INTERFACE PkgConfig::CAIRN_CAPNP)
  else()
    find_package(CapnProto CONFIG REQUIRED)
    target_link_libraries(cairn::capnp INTERFACE CapnProto::capnp CapnProto::kj)
  endif()
endif()
