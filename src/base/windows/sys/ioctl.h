/* ioctl: the width of the console (windows_system.c). */
#ifndef BASE_WINDOWS_IOCTL_H
#define BASE_WINDOWS_IOCTL_H

enum { TIOCGWINSZ = 1 };

struct winsize {
    unsigned short ws_col;
};

int ioctl(int fd, int request, struct winsize *out);

#endif
