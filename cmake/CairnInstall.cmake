# What `cmake --install` puts where. The program tells its own manual page and its own completion, so these cannot be
# older than it. Only what one needs to run Cairn is installed: who wants the log as a C++ library adds the project to
# their own build, where its targets carry their dependencies along.

include(GNUInstallDirs)

# Folders can be entered by all, whatever the umask of who installs.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(cairn_doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/cairn")

install(TARGETS cairn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES LICENSE README.md DESTINATION "${cairn_doc_dir}")
install(DIRECTORY docs DESTINATION "${cairn_doc_dir}")
install(DIRECTORY examples DESTINATION "${cairn_doc_dir}" PATTERN __pycache__ EXCLUDE)

# Made when they are installed and not when the program is built: it is built far more often.
configure_file("${PROJECT_SOURCE_DIR}/cmake/package/install-made.cmake.in"
  "${PROJECT_BINARY_DIR}/package/install-made.cmake.in" @ONLY)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/package/install-made.cmake"
  INPUT "${PROJECT_BINARY_DIR}/package/install-made.cmake.in" TARGET cairn)
install(SCRIPT "${PROJECT_BINARY_DIR}/package/install-made.cmake")
