/* plot: the pictures of 'temper plot', one a file. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "parse.h"
#include "temper.h"

temper_status plot_losses(const struct arguments *arguments);
temper_status plot_path(const struct arguments *arguments);
temper_status plot_report(const struct arguments *arguments);

#endif
