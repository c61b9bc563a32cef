/* Compares an exported model, -DNAME=name, with what the library said: apply FILE.txt */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(a, b)    a##b
#define CALL(a, b)    JOIN(a, b)
#define predict       CALL(NAME, _predict)
#define label         CALL(NAME, _label)
#define probabilities CALL(NAME, _probabilities)

int predict(const double *x);
const char *label(const double *x);
#ifdef PROBABILITIES
void probabilities(const double *x, double *p);
#endif

/* The next number of the file. */
static double next(FILE *file)
{
    double value;
    if (fscanf(file, "%lf", &value) != 1)
        exit(2);
    return value;
}

/* The largest error of the probabilities; 1 if the class is another. */
static double check_row(FILE *file, int features, int classes)
{
    double x[64], worst = 0;
    for (int i = 0; i < features; i++)
        x[i] = next(file);
    int expected = (int)next(file);
    if (predict(x) != expected || !strstr(label(x), "\303\244 \"?\?/"))
        return 1;
#ifdef PROBABILITIES
    double p[512];
    probabilities(x, p);
    for (int c = 0; c < classes; c++)
        worst = fmax(worst, fabs(p[c] - next(file)));
#endif
    return worst;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;
    int rows = (int)next(file), features = (int)next(file), classes = (int)next(file);
    double worst = 0;
    next(file);
    for (int r = 0; r < rows; r++)
        worst = fmax(worst, check_row(file, features, classes));
    fclose(file);
    printf("%s: worst error %.1e\n", argv[1], worst);
    return worst <= 1e-12 ? 0 : 1;
}
