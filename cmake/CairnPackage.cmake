# The Debian package: `cpack -G DEB` in a build folder, or `./run package`. It has the files of `cmake --install`, but
# for those of programs that embed a store, and the systemd service.

set(CAIRN_PACKAGE_MAINTAINER "Cairn <cairn@localhost>" CACHE STRING
  "Who answers for the package, as Debian's field Maintainer has it")

set(CAIRN_PACKAGE_HOMEPAGE "" CACHE STRING "Where the project is found, as Debian's field Homepage has it; empty: no field")

set(package_files "${PROJECT_SOURCE_DIR}/cmake/package")

install(FILES "${package_files}/default" DESTINATION /etc/default RENAME cairn COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${package_files}/cairn.toml" DESTINATION /etc/cairn COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${package_files}/copyright" DESTINATION /usr/share/doc/cairn COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "${CAIRN_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "event-sourcing store with schemas, upcasters and read models")
file(READ "${package_files}/description" CPACK_PACKAGE_DESCRIPTION)

# With DESTDIR the prefix is the one on the target machine, and the unit has the program's path there.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};cairn;Unspecified;/"
  "${PROJECT_BINARY_DIR};cairn;debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${CAIRN_PACKAGE_HOMEPAGE}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${package_files}/conffiles" "${package_files}/postinst" "${package_files}/prerm" "${package_files}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

include(CPack)
