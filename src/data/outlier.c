/* lone: a value so far from all others of its column that it can only be a mistake. */
#include "data/outlier.h"

#include <math.h>
#include <string.h>

#include "data/memory/page_window.h"

/* Heavy tails leave gaps between their largest values, but not such ones. */
static const double FAR = 1000;

static double value_at(const struct matrix *x, uint64_t row, size_t column)
{
    size_t at = (size_t)(row * x->columns) + column;
    if (x->kind == MATRIX_U8)
        return ((const uint8_t *)x->dense)[at];
    return x->kind == MATRIX_F64 ? ((const double *)x->dense)[at] : (double)((const float *)x->dense)[at];
}

/* The farthest value on one side, and the next one. */
struct end {
    double far, next;
    uint64_t row;
};

/* `value` is larger the farther out it is. */
static void end_add(struct end *end, double value, uint64_t row)
{
    if (value > end->far) {
        end->next = end->far;
        end->far = value;
        end->row = row;
    } else if (value > end->next) {
        end->next = value;
    }
}

/* The others span from the next value here to the farthest on the other side. */
static bool is_lone(const struct end *end, const struct end *other)
{
    double span = end->next + other->far; /* the other side counts the other way */
    return span > 0 && end->far - end->next > FAR * span;
}

bool outlier_find(const struct dataset *data, size_t column, struct outlier_value *out)
{
    const struct matrix *x = &data->x;
    struct end high = {-INFINITY, -INFINITY, 0}, low = high;
    for (uint64_t row = 0; x->kind != MATRIX_CSR && row < x->rows; row++) {
        if (data->weight && !(data->weight[row] > 0))
            continue;
        page_window_row(x, row);
        double value = value_at(x, row, column);
        end_add(&high, value, row);
        end_add(&low, -value, row);
    }
    if (is_lone(&high, &low))
        *out = (struct outlier_value){high.row, high.far};
    else if (is_lone(&low, &high))
        *out = (struct outlier_value){low.row, -low.far};
    else
        return false;
    return true;
}
