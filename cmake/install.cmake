# make install: header, libraries, command, pkg-config and CMake package, man pages, completions.
include(CMakePackageConfigHelpers)

install(FILES include/temper.h include/temper_extra.h include/temper_arrow.h include/temper_explain.h include/temper_tcp.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS temper_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET temper_mpi)
  install(TARGETS temper_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS temper_shared EXPORT temperTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT temperTargets NAMESPACE temper:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/temper)

configure_package_config_file(cmake/temperConfig.cmake.in ${CMAKE_BINARY_DIR}/temperConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/temper)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/temperConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/temperConfig.cmake ${CMAKE_BINARY_DIR}/temperConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/temper)

configure_file(cmake/temper.pc.in ${CMAKE_BINARY_DIR}/temper.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/temper.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY ${document_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${document_dir}/temper.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME temper)
install(FILES ${document_dir}/temper.zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _temper)
install(FILES ${document_dir}/temper.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
