# The libraries that Cairn depends on. `./run deps` installs them. Libraries without a usable CMake package get a
# cairn:: target here, so that the rest of the build does not depend on how a library was found.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(Boost 1.70 REQUIRED)

# cairn_pkg_library(<name> <pkg-config module>...) makes cairn::<name> from the first module that is installed.
function(cairn_pkg_library name)
  string(TOUPPER "CAIRN_${name}" prefix)
  pkg_search_module(${prefix} REQUIRED QUIET IMPORTED_TARGET ${ARGN})
  add_library(cairn::${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(cairn::${name} INTERFACE PkgConfig::${prefix})
endfunction()

cairn_pkg_library(lmdb lmdb)
cairn_pkg_library(xxhash libxxhash)
# Lua built as C++: its errors are exceptions, so destructors run while they unwind our frames.
cairn_pkg_library(lua_cpp lua5.4-c++ lua-5.4-c++ lua54-c++)
cairn_pkg_library(httplib cpp-httplib)
cairn_pkg_library(toml tomlplusplus)

# The schema compiler and its runtime library. pkg-config comes first: Debian's CMake package fails in a project that
# does not enable the language C.
find_program(CAIRN_CAPNP_PROGRAM capnp REQUIRED)
pkg_check_modules(CAIRN_CAPNP QUIET IMPORTED_TARGET capnp)
add_library(cairn::capnp INTERFACE IMPORTED GLOBAL)
if(TARGET PkgConfig::CAIRN_CAPNP)
  target_link_libraries(cairn::capnp INTERFACE PkgConfig::CAIRN_CAPNP)
else()
  find_package(CapnProto CONFIG REQUIRED)
  target_link_libraries(cairn::capnp INTERFACE CapnProto::capnp CapnProto::kj)
endif()

add_library(cairn::asio INTERFACE IMPORTED GLOBAL)
target_link_libraries(cairn::asio INTERFACE Boost::headers Threads::Threads)
# Asio of Boost 1.74 uses std::exchange without including <utility>. Boost includes the file named here before
# everything else; by default it is an empty one.
target_compile_definitions(cairn::asio INTERFACE "BOOST_USER_CONFIG=<utility>")
