# The libraries that temper is linked with: zlib, libzstd and libxxhash, found by pkg-config; or, in a standalone build,
# none but the system's: xxHash is compiled from its header. TEMPER_LEFT_OUT: the sources that the other kind has.
find_package(Threads REQUIRED)
set(TEMPER_LIBRARIES Threads::Threads $<$<NOT:$<BOOL:${WIN32}>>:m>)

if(TEMPER_STANDALONE)
  # What python/packaging/temperlr_build.py fetches, then the system's.
  find_path(XXHASH_INCLUDE_DIR xxhash.h HINTS ${CMAKE_SOURCE_DIR}/third_party/xxhash NO_CACHE)
  if(NOT XXHASH_INCLUDE_DIR)
    message(FATAL_ERROR "xxhash.h is missing: install libxxhash-dev (Debian), xxhash-devel (Fedora) or xxhash (Homebrew)")
  endif()
  # A copy: the folder of the system's headers must not come before those of another target.
  configure_file(${XXHASH_INCLUDE_DIR}/xxhash.h ${CMAKE_BINARY_DIR}/xxhash/xxhash.h COPYONLY)
  add_library(temper_xxhash INTERFACE)
  target_include_directories(temper_xxhash SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/xxhash)
  list(APPEND TEMPER_LIBRARIES temper_xxhash)
  set(TEMPER_PRIVATE_LIBS "-lm -pthread")
  set(TEMPER_LEFT_OUT "/compression/(decompress|deflate_zlib)\\.c$")
else()
  find_package(ZLIB REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
  list(PREPEND TEMPER_LIBRARIES ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::XXHASH)
  set(TEMPER_PRIVATE_LIBS "-lz -lzstd -lxxhash -lm -pthread")
  set(TEMPER_LEFT_OUT "/(compression/(decompress|deflate)_none|xxhash_implementation)\\.c$")
endif()
