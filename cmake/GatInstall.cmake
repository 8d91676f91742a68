# Installs the library with its CMake package, the program, and the licence.
include(CMakePackageConfigHelpers)

install(TARGETS gat gat_f64 EXPORT gatTargets FILE_SET HEADERS
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT gatTargets NAMESPACE gat:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gat)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gatConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/gatConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gat)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gatConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gatConfig.cmake ${PROJECT_BINARY_DIR}/gatConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gat)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(GAT_BUILD_PROGRAM)
  install(TARGETS gat_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
