# Plots of a fit, with base graphics.

plot.temper <- function(x, which = c("margins", "importance", "loss"), ...) {
  which <- match.arg(which)
  if (is.null(x$margins)) usage("the training rows are not in a model that was loaded")
  switch(which, margins = plot_margins(x, ...), importance = plot_importance(x, ...), loss = plot_loss(x, ...))
  invisible(x)
}

# Rows on the left of 0 have labels that the model does not predict.
plot_margins <- function(x, main = "Margins of the given labels", xlab = "margin", breaks = 40, ...) {
  cuts <- pretty(range(x$margins, 0), breaks)
  bars <- hist(x$margins, breaks = cuts, plot = FALSE)
  colours <- ifelse(bars$mids < 0, "#b2182b", "#4d4d4d")
  plot(bars, col = adjustcolor(colours, 0.7), border = NA, main = main, xlab = xlab, ...)
  abline(v = 0, lty = 2)
}

# By how much the gradient of each row is multiplied: rows that the model finds improbable count less.
plot_importance <- function(x, main = "Importance of the rows", xlab = "importance factor", ...) {
  if (is.null(x$importance)) usage("only two-temperature losses have importance factors; this loss is ", x$training$loss)
  hist(x$importance, breaks = seq(0, max(1, x$importance), length.out = 41), col = "#4d4d4d", border = NA, main = main,
       xlab = xlab, ...)
}

plot_loss <- function(x, main = "Objective", xlab = "iteration", ylab = "mean loss and penalty", ...) {
  if (is.null(x$history) || nrow(x$history) == 0) usage("the fit has no record of its iterations")
  plot(seq_len(nrow(x$history)), x$history[, "objective"], type = "b", pch = 20, main = main, xlab = xlab, ylab = ylab, ...)
}
