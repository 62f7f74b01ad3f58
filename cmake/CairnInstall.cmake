# The files of `cmake --install`. The program prints its manual page and its completion, so that they match its
# version. The libraries and headers for C++ programs are in CairnInstallLibraries.cmake.

include(GNUInstallDirs)

# Folders are accessible to all users, independent of the installer's umask.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(cairn_doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/cairn")

install(TARGETS cairn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES LICENSE README.md cmake/package/cairn.toml DESTINATION "${cairn_doc_dir}")
install(DIRECTORY docs DESTINATION "${cairn_doc_dir}")
install(DIRECTORY examples DESTINATION "${cairn_doc_dir}" PATTERN __pycache__ EXCLUDE)

# Generated at installation, not at each build of the program.
configure_file("${PROJECT_SOURCE_DIR}/cmake/package/install-made.cmake.in"
  "${PROJECT_BINARY_DIR}/package/install-made.cmake.in" @ONLY)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/package/install-made.cmake"
  INPUT "${PROJECT_BINARY_DIR}/package/install-made.cmake.in" TARGET cairn)
install(SCRIPT "${PROJECT_BINARY_DIR}/package/install-made.cmake")
