/* mman: mapped files and pages on Windows (windows_memory.c). */
#ifndef BASE_WINDOWS_MMAN_H
#define BASE_WINDOWS_MMAN_H

#include <stddef.h>
#include <stdint.h>

enum { PROT_READ = 1, PROT_WRITE = 2 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_ANONYMOUS = 4, MAP_NORESERVE = 0 };
enum { MADV_DONTNEED = 1, MADV_WILLNEED = 2 };
#define MAP_FAILED ((void *)-1)

void *mmap(void *where, size_t length, int access_kind, int flags, int fd, int64_t offset);
int munmap(void *address, size_t length);
int madvise(void *address, size_t length, int advice);

#endif
