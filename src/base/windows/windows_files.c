/* windows_files: POSIX calls on files by those of Windows and its C library. */
#include <stdarg.h>
#include <sys/locking.h>
#include <windows.h>

#include "base/windows/windows_names.h"

#undef access
#undef closedir
#undef dirent
#undef DIR
#undef fopen
#undef opendir
#undef read
#undef readdir
#undef write

enum { MOST_AT_ONCE = 1 << 30, NAME_TRIES = 1000 };

/* ---- Names and errors ------------------------------------------------------------------------ */

int wide_path(const char *path, wchar_t out[WIDE_PATH])
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, WIDE_PATH) > 0)
        return 1;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
    return 0;
}

int fail_with_last_error(void)
{
    static const struct {
        DWORD code;
        int number;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    };
    DWORD code = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            errno = known[i].number;
    return -1;
}

/* ---- What a file is -------------------------------------------------------------------------- */

/* Pipes, consoles and devices have a kind alone. So has a file that another system has opened for Wine, of which Wine
 * does not know more. */
static int describe(HANDLE file, struct windows_stat *out)
{
    BY_HANDLE_FILE_INFORMATION about;
    *out = (struct windows_stat){.st_mode = _S_IFCHR};
    DWORD type = GetFileType(file);
    if (type == FILE_TYPE_PIPE)
        out->st_mode = _S_IFIFO;
    if (type != FILE_TYPE_DISK)
        return 0;
    if (!GetFileInformationByHandle(file, &about))
        return GetLastError() == ERROR_INVALID_HANDLE ? 0 : fail_with_last_error();
    bool folder = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    bool protected = about.dwFileAttributes & FILE_ATTRIBUTE_READONLY;
    out->st_mode = (folder ? _S_IFDIR : _S_IFREG) | (protected ? 0444U : 0666U);
    out->st_dev = about.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    out->st_size = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow);
    uint64_t written = (uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime;
    out->st_mtime = (int64_t)(written / 10000000); /* of 100 ns */
    return 0;
}

/* Opened for no access at all: that needs no permission to read. Folders need the flag of backups. */
int windows_stat(const char *path, struct windows_stat *out)
{
    wchar_t wide[WIDE_PATH];
    if (!wide_path(path, wide))
        return -1;
    HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return fail_with_last_error();
    int result = describe(file, out);
    CloseHandle(file);
    return result;
}

int windows_fstat(int fd, struct windows_stat *out)
{
    HANDLE file = (HANDLE)_get_osfhandle(fd);
    if (file == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    return describe(file, out);
}

int windows_access(const char *path, int mode)
{
    wchar_t wide[WIDE_PATH];
    return wide_path(path, wide) ? _waccess(wide, mode) : -1;
}

int faccessat(int folder, const char *path, int mode, int flags)
{
    (void)folder, (void)flags;
    return windows_access(path, mode);
}

/* There are no links to follow: of an existing file EINVAL, as of a file that is no link. */
int64_t readlink(const char *path, char *out, size_t size)
{
    (void)out, (void)size;
    if (windows_access(path, F_OK) == 0)
        errno = EINVAL;
    return -1;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* A folder is reported as such: the C library reports a lack of permission. */
int windows_open(const char *path, int flags, ...)
{
    wchar_t wide[WIDE_PATH];
    struct windows_stat about;
    if (flags & O_DIRECTORY) {
        errno = ENOTSUP;
        return -1;
    }
    if (!wide_path(path, wide))
        return -1;
    int fd = _wopen(wide, flags | _O_BINARY, _S_IREAD | _S_IWRITE);
    if (fd < 0 && errno == EACCES && windows_stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        errno = EISDIR;
    return fd;
}

FILE *windows_fopen(const char *path, const char *mode)
{
    wchar_t wide[WIDE_PATH], wide_mode[8];
    int length = MultiByteToWideChar(CP_UTF8, 0, mode, -1, wide_mode, 7);
    if (length <= 0 || !wide_path(path, wide))
        return NULL;
    /* Binary: positions are counted in bytes. */
    if (!strchr(mode, 'b'))
        wcscat(wide_mode, L"b");
    return _wfopen(wide, wide_mode);
}

/* The file is removed when it is closed; the caller removes its name before, which is then without effect. The suffix
 * XXXXXX is replaced by numbers of the process and of the attempt. */
int windows_mkstemp(char *path)
{
    wchar_t wide[WIDE_PATH];
    char *suffix = path + strlen(path) - 6;
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        snprintf(suffix, 7, "%03x%03x", (unsigned)_getpid() & 0xFFF, i);
        if (!wide_path(path, wide))
            return -1;
        int fd =
            _wopen(wide, _O_RDWR | _O_CREAT | _O_EXCL | _O_TEMPORARY | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The standard streams are opened by the C library, and convert line ends unless set to binary. */
static void without_conversion(int fd)
{
    if (fd <= 2)
        (void)_setmode(fd, _O_BINARY);
}

int64_t windows_read(int fd, void *bytes, size_t size)
{
    without_conversion(fd);
    return _read(fd, bytes, (unsigned)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE));
}

int64_t windows_write(int fd, const void *bytes, size_t size)
{
    without_conversion(fd);
    return _write(fd, bytes, (unsigned)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE));
}

/* Windows moves the position of the file even when it is given one; it is restored. */
int64_t pread(int fd, void *bytes, size_t size, int64_t offset)
{
    int64_t before = _lseeki64(fd, 0, SEEK_CUR);
    if (before < 0 || _lseeki64(fd, offset, SEEK_SET) < 0)
        return -1;
    int64_t got = windows_read(fd, bytes, size);
    int failure = errno;
    if (_lseeki64(fd, before, SEEK_SET) < 0)
        return -1;
    errno = failure;
    return got;
}

/* Space is reserved when the file is lengthened. */
int posix_fallocate(int fd, int64_t from, int64_t length)
{
    return _chsize_s(fd, from + length);
}

int fsync(int fd)
{
    return _commit(fd);
}

/* A file has no permissions of this kind. */
int fchmod(int fd, unsigned mode)
{
    (void)fd, (void)mode;
    return 0;
}

/* F_SETLKW: the whole file, until it is closed; waits. The others have nothing to do. */
int fcntl(int fd, int command, ...)
{
    OVERLAPPED from_start = {0};
    if (command != F_SETLKW)
        return 0;
    if (LockFileEx((HANDLE)_get_osfhandle(fd), LOCKFILE_EXCLUSIVE_LOCK, 0, MAXDWORD, 0x7FFFFFFF, &from_start))
        return 0;
    return fail_with_last_error();
}

/* ---- Names of files -------------------------------------------------------------------------- */

/* Replaces an existing file, as in POSIX. */
int windows_rename(const char *from, const char *to)
{
    wchar_t wide_from[WIDE_PATH], wide_to[WIDE_PATH];
    if (!wide_path(from, wide_from) || !wide_path(to, wide_to))
        return -1;
    if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return 0;
    return fail_with_last_error();
}

int windows_unlink(const char *path)
{
    wchar_t wide[WIDE_PATH];
    return wide_path(path, wide) ? _wunlink(wide) : -1;
}

int link(const char *from, const char *to)
{
    wchar_t wide_from[WIDE_PATH], wide_to[WIDE_PATH];
    if (!wide_path(from, wide_from) || !wide_path(to, wide_to))
        return -1;
    return CreateHardLinkW(wide_to, wide_from, NULL) ? 0 : fail_with_last_error();
}

int windows_mkdir(const char *path, unsigned mode)
{
    wchar_t wide[WIDE_PATH];
    (void)mode;
    return wide_path(path, wide) ? _wmkdir(wide) : -1;
}

/* ---- Folders --------------------------------------------------------------------------------- */

struct windows_folder {
    _WDIR *listing;
    struct windows_dirent entry;
};

struct windows_folder *windows_opendir(const char *path)
{
    wchar_t wide[WIDE_PATH];
    struct windows_folder *folder = wide_path(path, wide) ? malloc(sizeof *folder) : NULL;
    if (!folder)
        return NULL;
    folder->listing = _wopendir(wide);
    if (folder->listing)
        return folder;
    free(folder);
    return NULL;
}

struct windows_dirent *windows_readdir(struct windows_folder *folder)
{
    struct _wdirent *found = _wreaddir(folder->listing);
    if (!found || WideCharToMultiByte(CP_UTF8, 0, found->d_name, -1, folder->entry.d_name, sizeof folder->entry.d_name,
                                      NULL, NULL) <= 0)
        return NULL;
    return &folder->entry;
}

int windows_closedir(struct windows_folder *folder)
{
    int result = _wclosedir(folder->listing);
    free(folder);
    return result;
}
