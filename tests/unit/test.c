/* test: counts checks, prints what failed, and sums up. */
#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_PER_TEST = 20, EXIT_SKIPPED = 77 };

/* The test that runs now. */
static struct {
    size_t checks;
    size_t failures;
    const char *skipped; /* the reason, or NULL */
} now;

/* Counts a check; true if it failed and its words should be printed. */
static bool failed_aloud(bool held, const char *file, int line)
{
    now.checks++;
    if (held)
        return false;
    now.failures++;
    if (now.failures == LINES_PER_TEST + 1)
        printf("  ... more failures, not shown\n");
    if (now.failures > LINES_PER_TEST)
        return false;
    printf("  %s:%d: ", file, line);
    return true;
}

void test_count(bool held, const char *file, int line, const char *what)
{
    if (failed_aloud(held, file, line))
        printf("not so: %s\n", what);
}

bool test_checkf(bool held, const char *file, int line, const char *what, const char *format, ...)
{
    if (failed_aloud(held, file, line)) {
        va_list arguments;
        va_start(arguments, format);
        printf("not so: %s: ", what);
        vprintf(format, arguments);
        printf("\n");
        va_end(arguments);
    }
    return held;
}

bool test_equal_size(size_t actual, size_t expected, const char *file, int line, const char *what)
{
    bool held = actual == expected;
    if (failed_aloud(held, file, line))
        printf("%s is %zu, expected %zu\n", what, actual, expected);
    return held;
}

bool test_equal_text(const char *actual, const char *expected, const char *file, int line,
                     const char *what)
{
    bool held = actual && expected ? strcmp(actual, expected) == 0 : actual == expected;
    if (failed_aloud(held, file, line))
        printf("%s is \"%s\", expected \"%s\"\n", what, actual ? actual : "(NULL)",
               expected ? expected : "(NULL)");
    return held;
}

/* 0 for equal numbers, for two NaNs and for the same infinity; NaN if one only is NaN. */
static double distance(double actual, double expected)
{
    if (actual == expected || (isnan(actual) && isnan(expected)))
        return 0;
    return fabs(actual - expected);
}

bool test_close(double actual, double expected, double relative, const char *file, int line,
                const char *what)
{
    double error = distance(actual, expected);
    if (error > 0)
        error = isinf(expected) ? INFINITY : error / fabs(expected);
    bool held = error <= relative;
    if (failed_aloud(held, file, line))
        printf("%s is %.17g, expected %.17g: relative error %.17g > %g\n", what, actual, expected,
               error, relative);
    return held;
}

bool test_near(double actual, double expected, double absolute, const char *file, int line,
               const char *what)
{
    double error = distance(actual, expected);
    bool held = error <= absolute;
    if (failed_aloud(held, file, line))
        printf("%s is %.17g, expected %.17g: off by %.17g > %g\n", what, actual, expected, error,
               absolute);
    return held;
}

void test_skip(const char *reason)
{
    now.skipped = reason;
}

size_t test_step(size_t step)
{
    const char *share = getenv("TEMPER_SHARE");
    return share && *share ? step : 1;
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc <= 1;
}

enum verdict { PASSED, FAILED, SKIPPED };

static enum verdict run_case(const struct test_case *test)
{
    memset(&now, 0, sizeof now);
    test->run();
    if (now.failures > 0) {
        printf("FAIL %s: %zu of %zu checks\n", test->name, now.failures, now.checks);
        return FAILED;
    }
    if (now.skipped) {
        printf("SKIP %s: %s\n", test->name, now.skipped);
        return SKIPPED;
    }
    if (now.checks == 0) {
        printf("FAIL %s: checked nothing\n", test->name);
        return FAILED;
    }
    printf("ok   %s: %zu checks\n", test->name, now.checks);
    return PASSED;
}

int test_main(int argc, char **argv, const struct test_case *cases, size_t count)
{
    size_t tally[3] = {0};
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a crash loses nothing */
    for (size_t i = 0; i < count; i++)
        if (wanted(cases[i].name, argc, argv))
            tally[run_case(&cases[i])]++;
    printf("%zu passed, %zu failed", tally[PASSED], tally[FAILED]);
    if (tally[SKIPPED] > 0)
        printf(", %zu skipped", tally[SKIPPED]);
    printf("\n");
    if (tally[PASSED] + tally[FAILED] + tally[SKIPPED] == 0) {
        printf("no test has such a name\n");
        return 1;
    }
    if (tally[FAILED] > 0)
        return 1;
    return tally[PASSED] > 0 ? 0 : EXIT_SKIPPED;
}
