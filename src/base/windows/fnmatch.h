/* fnmatch: whether a name matches a pattern with *, ? and [...] (windows_text.c). */
#ifndef BASE_WINDOWS_FNMATCH_H
#define BASE_WINDOWS_FNMATCH_H

/* A leading period must be matched by a period. */
enum { FNM_PERIOD = 4, FNM_NOMATCH = 1 };

int fnmatch(const char *pattern, const char *name, int flags);

#endif
