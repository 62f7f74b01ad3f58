# The libraries that Cairn depends on. `./run deps` installs them.

include(CairnLibraries)

find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(Boost 1.70 REQUIRED)

cairn_pkg_library(httplib cpp-httplib)
cairn_pkg_library(toml tomlplusplus)

find_program(CAIRN_CAPNP_PROGRAM capnp REQUIRED)

add_library(cairn::asio INTERFACE IMPORTED GLOBAL)
target_link_libraries(cairn::asio INTERFACE Boost::headers Threads::Threads)
# Asio of Boost 1.74 uses std::exchange without including <utility>. Boost includes the file named here before
# everything else; by default it is an empty one.
target_compile_definitions(cairn::asio INTERFACE "BOOST_USER_CONFIG=<utility>")
