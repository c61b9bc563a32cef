/* posix_calls: what the sources use of POSIX, on Windows, where the C library has no such call or one of the same name
 * that differs. Included before every source file (cmake/platform.cmake), so that these need no conditions.
 *
 * Names of files are UTF-8, as everywhere in temper; files are read and written without conversion of line ends. */
#ifndef BASE_POSIX_CALLS_H
#define BASE_POSIX_CALLS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- Files: windows_files.c ------------------------------------------------------------------ */

enum {
    O_CLOEXEC = _O_NOINHERIT,
    O_NOCTTY = 0,
    O_NONBLOCK = 0,
    O_DIRECTORY = 1 << 30, /* refused: a folder cannot be synchronised to the disk */
    AT_FDCWD = -100,
    AT_EACCESS = 0,
    F_GETFD = 1,
    F_SETFD = 2,
    F_SETLKW = 7,
    FD_CLOEXEC = 1,
    F_WRLCK = 1
};
#define EDQUOT ENOSPC

/* st_ino identifies a file on its volume, which that of the C library does not. */
struct windows_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size, st_mtime; /* the time in seconds from the first day of 1601 on */
    unsigned st_mode;
};

struct flock {
    int l_type, l_whence;
};

int windows_stat(const char *path, struct windows_stat *out);
int windows_fstat(int fd, struct windows_stat *out);
int windows_open(const char *path, int flags, ...);
FILE *windows_fopen(const char *path, const char *mode);
int64_t windows_read(int fd, void *bytes, size_t size);
int64_t windows_write(int fd, const void *bytes, size_t size);
int64_t pread(int fd, void *bytes, size_t size, int64_t offset);
int windows_rename(const char *from, const char *to);
int windows_unlink(const char *path);
int windows_access(const char *path, int mode);
int windows_mkdir(const char *path, unsigned mode);
int windows_mkstemp(char *path);
int faccessat(int folder, const char *path, int mode, int flags);
int link(const char *from, const char *to);
int64_t readlink(const char *path, char *out, size_t size);
int fchmod(int fd, unsigned mode);
int fsync(int fd);
int fcntl(int fd, int command, ...);
int posix_fallocate(int fd, int64_t from, int64_t length);

/* An open folder; its entries have names in UTF-8. */
struct windows_dirent {
    char d_name[4 * 260];
};
struct windows_folder;
struct windows_folder *windows_opendir(const char *path);
struct windows_dirent *windows_readdir(struct windows_folder *folder);
int windows_closedir(struct windows_folder *folder);

#undef stat
#undef fstat
#undef lseek
#define stat     windows_stat
#define fstat    windows_fstat
#define open     windows_open
#define fopen    windows_fopen
#define read     windows_read
#define write    windows_write
#define lseek    _lseeki64
#define rename   windows_rename
#define unlink   windows_unlink
#define access   windows_access
#define mkdir    windows_mkdir
#define mkstemp  windows_mkstemp
#define opendir  windows_opendir
#define readdir  windows_readdir
#define closedir windows_closedir
#define dirent   windows_dirent
#define DIR      struct windows_folder

/* ---- The system: windows_system.c ------------------------------------------------------------ */

enum { _SC_PAGESIZE = 1, _SC_NPROCESSORS_ONLN = 2 };
long sysconf(int name);

/* Signals that Windows has not; numbers that it does not use. */
enum { SIGBUS = 7, SIGPIPE = 13, SIGXFSZ = 25, SA_RESTART = 0 };
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags, sa_mask;
};
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigemptyset(int *set);
void (*windows_signal(int number, void (*handler)(int)))(int);
#define signal windows_signal

/* ---- Text: windows_text.c -------------------------------------------------------------------- */

enum { LC_ALL_MASK = 1 };
typedef _locale_t locale_t;
locale_t newlocale(int mask, const char *name, locale_t base);
void freelocale(locale_t locale);
#define strtod_l _strtod_l
#define strtof_l _strtof_l
int strerror_r(int number, char *out, size_t size);
int64_t getline(char **line, size_t *size, FILE *file);
char *strndup(const char *text, size_t most);

#endif
