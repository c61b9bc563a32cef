/* test: a small harness for unit tests; nothing to install, so it runs under an emulator too.
 *
 *     #include "test.h"
 *
 *     TEST(adds)
 *     {
 *         CHECK(1 + 1 == 2);
 *         CHECK_CLOSE(exp(1), 2.718281828459045, 1e-15);
 *     }
 *
 *     TEST_LIST(LISTED(adds))       one list at the end of the file; it makes main()
 *
 * A failed check is printed and the test goes on; each check is an expression that is true if it
 * held, so that a test can stop where going on makes no sense: if (!CHECK(p)) return;
 * A test that checked nothing has failed. Checks belong on the main thread.
 * Arguments filter the tests by substring. Exit code: 1 if any failed, 77 if all were skipped. */
#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stddef.h>

struct test_case {
    const char *name;
    void (*run)(void);
};

#define TEST(name)   static void test_##name(void)
#define LISTED(name) {#name, test_##name}
#define TEST_LIST(...)                                                                             \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct test_case cases[] = {__VA_ARGS__};                                     \
        return test_main(argc, argv, cases, sizeof cases / sizeof *cases);                         \
    }

/* The value is that of the condition, so that analysers see what holds behind `if (!CHECK(p))`. */
#define CHECK(condition)                                                                           \
    __extension__({                                                                                \
        const bool check_held = (condition);                                                       \
        test_check(check_held, __FILE__, __LINE__, #condition);                                    \
        check_held;                                                                                \
    })
/* With words of its own: CHECKF(g <= bound, "t = %g, n = %zu", t, n) */
#define CHECKF(condition, ...)                                                                     \
    __extension__({                                                                                \
        const bool check_held = (condition);                                                       \
        test_checkf(check_held, __FILE__, __LINE__, #condition, __VA_ARGS__);                      \
        check_held;                                                                                \
    })
#define CHECK_EQ_SIZE(actual, expected)                                                            \
    test_equal_size((actual), (expected), __FILE__, __LINE__, #actual)
#define CHECK_EQ_TEXT(actual, expected)                                                            \
    test_equal_text((actual), (expected), __FILE__, __LINE__, #actual)
/* |actual - expected| <= relative * |expected|. NaN is close to NaN, an infinity to itself. */
#define CHECK_CLOSE(actual, expected, relative)                                                    \
    test_close((actual), (expected), (relative), __FILE__, __LINE__, #actual)
/* |actual - expected| <= absolute, with the same rules for NaN and infinities. */
#define CHECK_NEAR(actual, expected, absolute)                                                     \
    test_near((actual), (expected), (absolute), __FILE__, __LINE__, #actual)
/* Ends the test without a verdict: SKIP("no AVX-512 here"). Only in a TEST itself. */
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        test_skip(reason);                                                                         \
        return;                                                                                    \
    } while (0)

void test_count(bool held, const char *file, int line, const char *what);
bool test_checkf(bool held, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool test_equal_size(size_t actual, size_t expected, const char *file, int line, const char *what);
bool test_equal_text(const char *actual, const char *expected, const char *file, int line,
                     const char *what);
bool test_close(double actual, double expected, double relative, const char *file, int line,
                const char *what);
bool test_near(double actual, double expected, double absolute, const char *file, int line,
               const char *what);
void test_skip(const char *reason);
/* `step` where make test runs this under an emulator or a sanitizer, many times slower, and a share
 * of the cases will do: for (size_t n = 1; n <= 71; n += test_step(5)). Else 1: all of them. */
size_t test_step(size_t step);
/* Here, so that an analyser sees what a test has made sure of. */
static inline bool test_check(bool held, const char *file, int line, const char *what)
{
    test_count(held, file, line, what);
    return held;
}
int test_main(int argc, char **argv, const struct test_case *cases, size_t count);

#endif
