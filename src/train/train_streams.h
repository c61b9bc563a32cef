/* train_streams: the numbers of the random streams of training, tuning and auditing; see data/random_streams.h. */
#ifndef TRAIN_TRAIN_STREAMS_H
#define TRAIN_TRAIN_STREAMS_H

enum {
    STREAM_INIT = 0x200,      /* the initial weights */
    STREAM_PILOT = 0x201,     /* the halves of the rows, for the estimate of label noise */
    STREAM_ASK = 0x210,       /* the order of rows that are equally informative */
    STREAM_WAVES = 0x220,     /* frequencies and phases of curves */
    STREAM_BOOTSTRAP = 0x230, /* rows that are drawn to correct the accuracy of the best candidate */
};

#endif
