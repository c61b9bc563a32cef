/* long_double_64: mathematics of long double where that is a double, as on macOS for ARM. clang's -mlong-double-64
 * makes it one on Linux too, whose own library then does not fit: its functions expect 80 or 128 bits. */
#include <math.h>

long double cosl(long double x)
{
    return cos((double)x);
}

long double acosl(long double x)
{
    return acos((double)x);
}

long double expl(long double x)
{
    return exp((double)x);
}

long double expm1l(long double x)
{
    return expm1((double)x);
}

long double logl(long double x)
{
    return log((double)x);
}

long double log1pl(long double x)
{
    return log1p((double)x);
}

long double powl(long double x, long double y)
{
    return pow((double)x, (double)y);
}

long double fabsl(long double x)
{
    return fabs((double)x);
}

long double fminl(long double x, long double y)
{
    return fmin((double)x, (double)y);
}

long double fmaxl(long double x, long double y)
{
    return fmax((double)x, (double)y);
}
