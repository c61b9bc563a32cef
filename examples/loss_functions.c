/* loss_functions: what the two temperatures do to one row with three classes.
 *
 *     cc loss_functions.c -o loss_functions $(pkg-config --cflags --libs temper)
 *     ./loss_functions
 *
 * or, from a build folder without installing anything:
 *
 *     cc -Iinclude examples/loss_functions.c build/libtemper.a -lm -pthread -o loss_functions
 */
#include <stdio.h>
#include <temper.h>

enum { CLASSES = 3 };

/* (1, 1) would be plain logistic regression. t1 < 1 caps the loss at 1/(1 - t1), t2 > 1 gives the
 * probabilities a heavy tail. */
static const double t1 = 0.3, t2 = 1.12;

static void print_row(const double *activations, size_t label)
{
    double p[CLASSES], gradient[CLASSES];
    double loss = temper_loss(activations, CLASSES, label, t1, t2, gradient);
    temper_probabilities(activations, CLASSES, t2, p);
    printf("%5zu %8.4f", label, loss);
    for (size_t c = 0; c < CLASSES; c++)
        printf(" %8.4f", p[c]);
    for (size_t c = 0; c < CLASSES; c++)
        printf(" %8.4f", gradient[c]);
    putchar('\n');
}

int main(void)
{
    const double activations[CLASSES] = {2, 0.5, -1};
    printf("temper %s at t1 = %g, t2 = %g, activations 2, 0.5, -1\n\n", temper_version(), t1, t2);
    printf("label     loss %26s %26s\n", "probabilities", "gradient");
    for (size_t label = 0; label < CLASSES; label++)
        print_row(activations, label);
    /* The last label is the least likely, and perhaps wrong: its loss is the highest, and yet its
     * gradient is the smallest, so that it hardly moves the model. */
    return 0;
}
