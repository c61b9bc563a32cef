/* random_streams: the identifiers of the random streams of this layer, one for each use. They are part of every result
 * that was ever made with a seed: never change one. */
#ifndef DATA_RANDOM_STREAMS_H
#define DATA_RANDOM_STREAMS_H

enum {
    STREAM_SPLIT = 0x100,       /* the order in which rows are assigned to folds */
    STREAM_NOISE_ROWS = 0x110,  /* the order in which rows become noisy */
    STREAM_NOISE_CLASS = 0x111, /* the class that a row is given */
    STREAM_NOISE_POOL = 0x112,  /* the order in which rows of the pool are used */
    STREAM_DUAL_ORDER = 0x130,  /* the order of the rows in an epoch of dual coordinate ascent */
    STREAM_COMPONENTS = 0x120,  /* initial directions of the PCA */
};

#endif
