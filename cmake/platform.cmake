# What differs between operating systems. The sources are written for POSIX; src/base/windows and src/base/macos have what
# a system lacks of it, in a header that is included before every source file. TEMPER_OTHER_SYSTEMS: sources that are not
# for this one.
if(WIN32)
  set(TEMPER_POSIX_DEFINITIONS _FILE_OFFSET_BITS=64)
  set(TEMPER_POSIX_CALLS -I${CMAKE_SOURCE_DIR}/src/base/windows -include ${CMAKE_SOURCE_DIR}/src/base/windows/posix_calls.h)
  set(TEMPER_OTHER_SYSTEMS "/(macos/[a-z_]+|cli/memory_stream|comm/socket|comm/socket_options)\\.c$")
elseif(APPLE)
  set(TEMPER_POSIX_DEFINITIONS _DARWIN_C_SOURCE)
  set(TEMPER_POSIX_CALLS -include ${CMAKE_SOURCE_DIR}/src/base/macos/posix_calls_macos.h)
  set(TEMPER_OTHER_SYSTEMS "/(windows/[a-z_]+|comm/socket_options)\\.c$")
  if(TEMPER_ZIG_TARGET) # zig's linker ends with a fault on -bundle; Python loads a library as well
    set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS -dynamiclib)
  endif()
else()
  set(TEMPER_POSIX_DEFINITIONS _POSIX_C_SOURCE=200809L)
  set(TEMPER_POSIX_CALLS "")
  set(TEMPER_OTHER_SYSTEMS "/(windows|macos)/[a-z_]+\\.c$")
endif()
