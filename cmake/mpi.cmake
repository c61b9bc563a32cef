# temper-mpi: the same command for the processes of an MPI job. Only cli/mpi knows of MPI.
#
# mpicc prints its command line, and that is used here, so that warnings and flags are those of
# everything else. Where several MPIs are installed, as on Debian, each has its mpicc.NAME: tests
# want all of them, users one.

# What mpicc -show says: a compiler, then include folders, then what to link with.
function(temper_add_mpi target mpicc output)
  execute_process(COMMAND ${mpicc} -show OUTPUT_VARIABLE shown RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed)
    message(WARNING "${mpicc} -show does not work: no ${output}")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  list(POP_FRONT words)
  set(folders)
  set(links)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND folders ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-[lL]" OR word MATCHES "^-Wl," OR word STREQUAL "-pthread")
      list(APPEND links ${word})
    endif()
  endforeach()
  add_executable(${target} ${CMAKE_SOURCE_DIR}/cli/mpi/main_mpi.c)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${folders})
  target_link_libraries(${target} PRIVATE temper_cli_objects ${temper_internals} ${links})
endfunction()

# An MPI is no place for sanitizers, which find its own leaks, nor for another processor's programs.
set(temper_mpis)
if(NOT TEMPER_MPI STREQUAL "OFF" AND NOT TEMPER_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  find_program(TEMPER_MPICC mpicc DOC "The compiler of the MPI that temper-mpi is for")
  if(TEMPER_MPICC)
    temper_add_mpi(temper_mpi ${TEMPER_MPICC} temper-mpi)
  elseif(TEMPER_MPI STREQUAL "ON")
    message(FATAL_ERROR "TEMPER_MPI is ON and there is no mpicc; install one (Debian: libopenmpi-dev), or set TEMPER_MPICC")
  endif()
  if(TEMPER_TESTS AND "${TEMPER_TEST_PREFIX}" STREQUAL "gcc.")
    foreach(name openmpi mpich)
      find_program(TEMPER_MPICC_${name} mpicc.${name})
      find_program(TEMPER_MPIRUN_${name} mpirun.${name})
      if(TEMPER_MPICC_${name} AND TEMPER_MPIRUN_${name})
        temper_add_mpi(temper_mpi_${name} ${TEMPER_MPICC_${name}} temper-mpi.${name})
        list(APPEND temper_mpis ${name})
      endif()
    endforeach()
  endif()
endif()
