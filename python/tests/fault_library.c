/* fault_library: preloaded into Python, makes the n-th call that the extension itself makes fail: an allocation, or a
 * call on a file. Other modules, NumPy's and Python's own, are not disturbed: the address of the caller decides. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { NOTHING, ALLOCATIONS, FILES };

static atomic_int armed;
static atomic_long seen, target;
static uintptr_t first_byte, last_byte; /* of the extension's code */

static int find_extension(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strncmp(name, "/_temper.", 9) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            first_byte = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            last_byte = first_byte + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* n = 0 only counts. Returns 0 if the extension is not loaded. */
int fault_arm(int kind, long n)
{
    atomic_store(&armed, NOTHING);
    dl_iterate_phdr(find_extension, NULL);
    atomic_store(&seen, 0);
    atomic_store(&target, n);
    atomic_store(&armed, kind);
    return first_byte != 0;
}

/* How many calls there were. */
long fault_disarm(void)
{
    atomic_store(&armed, NOTHING);
    return atomic_load(&seen);
}

static int fails(int kind, void *caller, int number)
{
    uintptr_t at = (uintptr_t)caller;
    if (atomic_load(&armed) != kind || at < first_byte || at >= last_byte || atomic_fetch_add(&seen, 1) + 1 != target)
        return 0;
    errno = number;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define NO_MEMORY  fails(ALLOCATIONS, __builtin_return_address(0), ENOMEM)
#define NO_INPUT   fails(FILES, __builtin_return_address(0), EIO)

/* The C library's own names: dlsym may allocate itself. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return NO_MEMORY ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return NO_MEMORY ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return NO_MEMORY ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return NO_MEMORY ? NULL : __libc_memalign(alignment, size);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return NO_INPUT ? -1 : NEXT(open)(path, flags, mode);
}

ssize_t read(int file, void *bytes, size_t length)
{
    return NO_INPUT ? -1 : NEXT(read)(file, bytes, length);
}

ssize_t write(int file, const void *bytes, size_t length)
{
    return NO_INPUT ? -1 : NEXT(write)(file, bytes, length);
}

int fsync(int file)
{
    return NO_INPUT ? -1 : NEXT(fsync)(file);
}

int rename(const char *from, const char *to);
int rename(const char *from, const char *to)
{
    return NO_INPUT ? -1 : NEXT(rename)(from, to);
}
