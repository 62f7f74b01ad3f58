# The libraries and headers for C++ programs that embed a store: `cmake --install`, or only them with
# `--component devel`. They are not in the Debian package. Programs find them with find_package(cairn), or with
# pkg-config as cairn.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cairn_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cairn")

install(TARGETS cairn_eventstore cairn_schemaregistry cairn_upcasters cairn_projections EXPORT cairnTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel)
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION "${cairn_cmake_dir}" COMPONENT devel)

# The copy of Avro C++ in Cairn's cache goes along; one of the system is found where it is.
set(CAIRN_PC_AVRO)
set(CAIRN_PC_HAVE_AVRO 0)
if(CAIRN_HAVE_AVRO AND CAIRN_AVRO_LIBRARY STREQUAL "${cairn_avro_prefix}/lib/libavrocpp_s.a")
  install(FILES "${CAIRN_AVRO_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/cairn" COMPONENT devel)
  install(FILES "${cairn_avro_prefix}/LICENSE" "${cairn_avro_prefix}/NOTICE"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/cairn/avro" COMPONENT devel)
  set(CAIRN_INSTALLED_AVRO "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}/cairn/libavrocpp_s.a")
  set(CAIRN_PC_AVRO "\${libdir}/cairn/libavrocpp_s.a")
elseif(CAIRN_HAVE_AVRO)
  set(CAIRN_INSTALLED_AVRO "${CAIRN_AVRO_LIBRARY}")
  set(CAIRN_PC_AVRO "${CAIRN_AVRO_LIBRARY}")
endif()
if(CAIRN_HAVE_AVRO)
  set(CAIRN_PC_HAVE_AVRO 1)
  string(APPEND CAIRN_PC_AVRO " -lboost_iostreams -lboost_filesystem -lboost_system")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/package/cairnConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/cairnConfig.cmake" INSTALL_DESTINATION "${cairn_cmake_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/cairnConfig.cmake"
  "${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake" "${PROJECT_SOURCE_DIR}/cmake/CairnLibraries.cmake"
  DESTINATION "${cairn_cmake_dir}" COMPONENT devel)

# Installed by a script, which sees the prefix and the headers as they are at installation.
configure_file("${PROJECT_SOURCE_DIR}/cmake/package/install-devel.cmake.in"
  "${PROJECT_BINARY_DIR}/package/install-devel.cmake" @ONLY)
install(SCRIPT "${PROJECT_BINARY_DIR}/package/install-devel.cmake" COMPONENT devel)
