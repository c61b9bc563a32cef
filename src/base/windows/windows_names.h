/* windows_names: UTF-8 to UTF-16 and back, and error numbers. */
#ifndef BASE_WINDOWS_NAMES_H
#define BASE_WINDOWS_NAMES_H

#include <stddef.h>
#include <wchar.h>

enum { WIDE_PATH = 4096 };

/* The path in UTF-16; false and errno if it is no UTF-8 or too long. */
int wide_path(const char *path, wchar_t out[WIDE_PATH]);

/* Sets errno by the last error of the system, and returns -1. */
int fail_with_last_error(void);

#endif
