/* knn_order: an order of points in which those near each other are near. */
#ifndef AUDIT_KNN_ORDER_H
#define AUDIT_KNN_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "audit/knn.h"

/* Halves the rows at the median of the feature that spreads most, and the halves again, down to
 * `leaf` rows; fills order[points.rows] with rows. A pure function of the points. */
void knn_order(struct points points, size_t leaf, uint32_t *order);

#endif
