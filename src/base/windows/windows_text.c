/* windows_text: numbers in the C locale, lines, causes of errors, patterns of names. */
#include <fnmatch.h>

enum { FIRST_LINE = 256 };

locale_t newlocale(int mask, const char *name, locale_t base)
{
    (void)mask, (void)base;
    return _create_locale(LC_ALL, name);
}

void freelocale(locale_t locale)
{
    _free_locale(locale);
}

int strerror_r(int number, char *out, size_t size)
{
    return strerror_s(out, size, number);
}

char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The length with the newline; -1 at the end of the file or without memory. */
int64_t getline(char **line, size_t *size, FILE *file)
{
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF;) {
        if (length + 2 > *size || !*line) {
            size_t larger = *line && *size ? 2 * *size : FIRST_LINE;
            char *grown = realloc(*line, larger);
            if (!grown)
                return -1;
            *line = grown;
            *size = larger;
        }
        (*line)[length++] = (char)c;
        if (c == '\n')
            break;
    }
    if (length == 0)
        return -1;
    (*line)[length] = '\0';
    return (int64_t)length;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Whether c is in the set behind '[', and *pattern then behind its ']'; a set without an end is the character '['. */
static bool in_set(const char **pattern, char c)
{
    const char *at = *pattern;
    bool negated = *at == '!' || *at == '^', found = false;
    at += negated;
    for (bool first = true; *at && (first || *at != ']'); first = false) {
        char low = *at++, high = low;
        if (at[0] == '-' && at[1] && at[1] != ']') {
            high = at[1];
            at += 2;
        }
        found = found || ((unsigned char)low <= (unsigned char)c && (unsigned char)c <= (unsigned char)high);
    }
    if (!*at)
        return c == '[';
    *pattern = at + 1;
    return found != negated;
}

/* Backtracks to the last '*' alone, as an earlier one could match no more than it. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *tried = NULL;
    while (*name) {
        const char *next = pattern + 1;
        if (*pattern == '*') {
            star = next;
            tried = name;
            pattern = next;
        } else if (*pattern == '?' || (*pattern == '[' && in_set(&next, *name)) ||
                   (*pattern == *name && *pattern != '[')) {
            pattern = next;
            name++;
        } else if (star) {
            pattern = star;
            name = ++tried;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

int fnmatch(const char *pattern, const char *name, int flags)
{
    if (flags & FNM_PERIOD && *name == '.' && *pattern != '.')
        return FNM_NOMATCH;
    return matches(pattern, name) ? 0 : FNM_NOMATCH;
}
