/* windows_memory: mapped files and pages. */
#include <sys/mman.h>
#include <windows.h>

#include "base/windows/windows_names.h"

/* Private mappings of files are copied page by page when they are written to; shared ones change the file. */
static void *map_file(size_t length, int flags, HANDLE file, int64_t offset)
{
    bool private = flags & MAP_PRIVATE;
    HANDLE mapping = CreateFileMappingW(file, NULL, private ? PAGE_WRITECOPY : PAGE_READWRITE, 0, 0, NULL);
    if (!mapping)
        return NULL;
    void *address = MapViewOfFile(mapping, private ? FILE_MAP_COPY : FILE_MAP_WRITE, (DWORD)((uint64_t)offset >> 32),
                                  (DWORD)offset, length);
    CloseHandle(mapping); /* the view keeps it */
    return address;
}

void *mmap(void *where, size_t length, int access_kind, int flags, int fd, int64_t offset)
{
    (void)where, (void)access_kind;
    void *address = flags & MAP_ANONYMOUS ? VirtualAlloc(NULL, length, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)
                                          : map_file(length, flags, (HANDLE)_get_osfhandle(fd), offset);
    if (address)
        return address;
    fail_with_last_error();
    return MAP_FAILED;
}

int munmap(void *address, size_t length)
{
    (void)length;
    if (UnmapViewOfFile(address) || VirtualFree(address, 0, MEM_RELEASE))
        return 0;
    return fail_with_last_error();
}

/* MADV_DONTNEED: unlocking pages that are not locked removes them from the working set; their content stays. */
int madvise(void *address, size_t length, int advice)
{
    if (advice == MADV_DONTNEED)
        (void)VirtualUnlock(address, length);
    return 0;
}
