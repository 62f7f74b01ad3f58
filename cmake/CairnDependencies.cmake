# The libraries Cairn stands on. `./run deps` installs them. Those without a usable CMake package get a
# cairn:: name here, so that the rest of the build never cares where a library came from.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
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
# Lua built as C++: its errors are exceptions, so they leave through our frames with destructors run.
cairn_pkg_library(lua_cpp lua5.4-c++ lua-5.4-c++ lua54-c++)
cairn_pkg_library(httplib cpp-httplib)

# The schema compiler, and the library it generates for. pkg-config comes first: Debian's CMake package of it stops a
# project that does not also enable the language C.
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
