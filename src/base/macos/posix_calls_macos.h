/* posix_calls_macos: what the sources use of POSIX and macOS has elsewhere or not at all. Included before every source
 * file there (cmake/platform.cmake). */
#ifndef BASE_POSIX_CALLS_MACOS_H
#define BASE_POSIX_CALLS_MACOS_H

#include <sys/types.h>
#include <xlocale.h> /* strtod_l and strtof_l */

/* Reserves disk space and lengthens the file; 0, or an errno. */
int posix_fallocate(int fd, off_t from, off_t length);

#endif
