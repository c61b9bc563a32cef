/* bench_read_files: the files that reading is measured with. */
#ifndef BENCH_READ_FILES_H
#define BENCH_READ_FILES_H

#include <stddef.h>

struct file {
    char path[512];
    double megabytes;
    size_t threads; /* to read it with */
};

struct file file_in(const char *folder, const char *name, size_t threads);

/* Text like that of 20 Newsgroups: 150 entries a row of 50,000, six digits each. After so many
 * different rows, a divisor of all, they come again. */
void make_libsvm(struct file *file, int rows, int different);
/* 50 columns of six digits, as instruments write them. */
void make_csv(struct file *file, int rows, int different);
void make_gzip(const struct file *plain, struct file *packed);
/* A gigabyte of bytes. */
void make_tmpr(struct file *file);

#endif
