# Makes cairn::gtest (GoogleTest, GoogleMock and a main function).
#
# The thread sanitizer must see the locks of the test framework, or it reports false races: with it, the framework is
# compiled from its installed sources. Otherwise the installed library saves that time.

set(cairn_gtest_sources /usr/src/googletest)

if(CAIRN_SANITIZE MATCHES "thread" AND EXISTS "${cairn_gtest_sources}/CMakeLists.txt")
  set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
  add_subdirectory("${cairn_gtest_sources}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
  add_library(cairn_gtest INTERFACE)
  target_link_libraries(cairn_gtest INTERFACE gmock_main gmock gtest)
else()
  find_package(Threads REQUIRED)
  find_path(CAIRN_GMOCK_INCLUDE gmock/gmock.h REQUIRED)
  add_library(cairn_gtest INTERFACE)
  foreach(library gmock_main gmock gtest)
    find_library(CAIRN_${library}_LIBRARY ${library} REQUIRED)
    target_link_libraries(cairn_gtest INTERFACE "${CAIRN_${library}_LIBRARY}")
  endforeach()
  target_include_directories(cairn_gtest SYSTEM INTERFACE "${CAIRN_GMOCK_INCLUDE}")
  target_link_libraries(cairn_gtest INTERFACE Threads::Threads)
endif()
add_library(cairn::gtest ALIAS cairn_gtest)
