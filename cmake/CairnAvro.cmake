# Makes cairn::avro, and sets CAIRN_HAVE_AVRO, from the first of:
#   1. an Avro C++ that CMake finds on the system or under CMAKE_PREFIX_PATH,
#   2. the copy that cmake/fetch-avro built into Cairn's cache folder (`./run deps` calls it).
# Without either the build continues without support for .avro files. Nothing is downloaded here.

set(CAIRN_HAVE_AVRO OFF)

# Keep in step with the same choice in cmake/fetch-avro.
if(DEFINED ENV{CAIRN_CACHE_DIR})
  set(cairn_cache_dir "$ENV{CAIRN_CACHE_DIR}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cairn_cache_dir "$ENV{XDG_CACHE_HOME}/cairn")
else()
  set(cairn_cache_dir "$ENV{HOME}/.cache/cairn")
endif()
set(cairn_avro_prefix "${cairn_cache_dir}/avro-1.8.2-${CMAKE_HOST_SYSTEM_PROCESSOR}")

# Searched at each configure: a negative result from before the library was built would stay in the cache.
unset(CAIRN_AVRO_INCLUDE CACHE)
unset(CAIRN_AVRO_LIBRARY CACHE)
find_path(CAIRN_AVRO_INCLUDE avro/ValidSchema.hh)
find_library(CAIRN_AVRO_LIBRARY NAMES avrocpp_s avrocpp)
if(CAIRN_AVRO_INCLUDE AND CAIRN_AVRO_LIBRARY)
  set(cairn_avro_origin "the system")
elseif(EXISTS "${cairn_avro_prefix}/lib/libavrocpp_s.a")
  set(CAIRN_AVRO_INCLUDE "${cairn_avro_prefix}/include")
  set(CAIRN_AVRO_LIBRARY "${cairn_avro_prefix}/lib/libavrocpp_s.a")
  set(cairn_avro_origin "Cairn's cache")
endif()

if(cairn_avro_origin)
  set(CAIRN_HAVE_AVRO ON)
  find_package(Boost REQUIRED COMPONENTS iostreams filesystem system)
  add_library(cairn::avro UNKNOWN IMPORTED GLOBAL)
  set_target_properties(cairn::avro PROPERTIES
    IMPORTED_LOCATION "${CAIRN_AVRO_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CAIRN_AVRO_INCLUDE}")
  target_link_libraries(cairn::avro INTERFACE Boost::iostreams Boost::filesystem Boost::system)
  find_package(fmt QUIET)  # Headers from Avro 1.12 on include it.
  if(TARGET fmt::fmt)
    target_link_libraries(cairn::avro INTERFACE fmt::fmt)
  endif()
  message(STATUS "Avro C++ from ${cairn_avro_origin}: ${CAIRN_AVRO_LIBRARY}")
else()
  message(WARNING
    "NO AVRO C++: this Cairn will neither read nor write .avro files. `./run deps` fetches and builds it.")
endif()
