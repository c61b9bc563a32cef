# Which labels are probably wrong: temper_audit().

temper_audit <- function(x, ...) UseMethod("temper_audit")

temper_audit.default <- function(x, y, weights = NULL, ...) {
  audit_rows(rows_of_matrix(x, y, weights), match.call(), ...)
}

temper_audit.data.frame <- function(x, y, weights = NULL, na.action = NULL, contrasts = NULL, ...) {
  audit_rows(rows_of_data(x, y, weights, na.action, contrasts), match.call(), ...)
}

temper_audit.formula <- function(formula, data, weights, subset, na.action, contrasts = NULL, ...) {
  call <- match.call()
  audit_rows(rows_of_formula(call, parent.frame(), contrasts), call, ...)
}

# Temperatures that are given are used; else they are chosen.
audit_rows <- function(rows, call, kind = "label", folds = 5, grid = NULL, t1 = NULL, t2 = NULL, l2 = NULL,
                       probabilities = NULL, intercept = rows$intercept, ...) {
  call[[1L]] <- quote(temper_audit)
  given <- intersect(names(list(...)), c("loss", "calibrate", "estimate_noise", "clean", "holdout"))
  if (length(given) > 0) usage(given[1], " is for temper, not for temper_audit")
  options <- c(check_options(intercept = intercept, t1 = t1, t2 = t2, l2 = l2, ...), list(
    kind = check_text(kind, "kind", c("label", "row")),
    folds = check_number(folds, "folds", 2, 1e6, whole = TRUE),
    grid = check_text(grid, "grid"),
    choose = if (is.null(t1) && is.null(t2) && is.null(l2)) NULL else 0,
    probabilities = check_probabilities(probabilities, rows)
  ))
  result <- checked(.Call(C_temper_r_audit, library_rows(rows), options), call)
  if (is.null(result)) raise_interrupt()
  audited(result, rows)
}

# Classes x rows, with the columns in the order of the classes.
check_probabilities <- function(probabilities, rows) {
  if (is.null(probabilities)) return(NULL)
  classes <- levels(rows$y)
  if (!is.matrix(probabilities) || !is.numeric(probabilities) || nrow(probabilities) != nrow(rows$x) ||
        ncol(probabilities) != length(classes)) {
    usage("probabilities has to be a matrix of numbers with ", nrow(rows$x), " rows and a column for each of the ",
          length(classes), " classes")
  }
  names <- colnames(probabilities)
  if (!is.null(names)) {
    if (!setequal(names, classes)) usage("the columns of probabilities are named otherwise than the classes")
    probabilities <- probabilities[, classes, drop = FALSE]
  }
  storage.mode(probabilities) <- "double"
  t(probabilities)
}

# The data frame of suspects, the most suspicious first.
audited <- function(result, rows) {
  suspects <- as.data.frame(result$suspects)
  for (name in c("given", "suggested")) suspects[[name]] <- factor(levels(rows$y)[suspects[[name]]], levels(rows$y))
  suspects$row <- original_rows(suspects$row, rows$na.action)
  suspects$listed <- seq_len(nrow(suspects)) <= result$report$supported
  transition <- result$transition
  if (!is.null(transition)) {
    transition <- t(transition)
    dimnames(transition) <- list(true = levels(rows$y), given = levels(rows$y))
  }
  raise_warnings(result$report$warnings)
  structure(suspects, class = c("temper_audit", "data.frame"), report = result$report, transition = transition)
}

# Numbers of rows before na.action has left some out.
original_rows <- function(row, omitted) {
  if (length(omitted) == 0) return(row)
  seq_len(max(row) + length(omitted))[-as.integer(omitted)][row]
}

print.temper_audit <- function(x, n = 10, ...) {
  report <- attr(x, "report")
  if (is.null(report) || is.null(x$score)) return(NextMethod())
  cat(nrow(x), " rows; ", sep = "")
  if (isTRUE(report$undecided)) {
    cat("the labels do not show whether any of them are wrong; those that are the most suspicious:\n\n")
  } else {
    cat("expected to be wrong: ", format(report$wrong, digits = 3), " (", format(report$wrong_low, digits = 3), " to ",
        format(report$wrong_high, digits = 3), "); ", report$supported, " listed\n\n", sep = "")
  }
  columns <- intersect(c("row", "given", "suggested", "score", "probability", "margin", "listed"), names(x))
  print(as.data.frame(unclass(x)[columns])[seq_len(min(n, nrow(x))), , drop = FALSE], digits = 3, row.names = FALSE)
  if (nrow(x) > n) cat("... and ", nrow(x) - n, " others\n", sep = "")
  invisible(x)
}

summary.temper_audit <- function(object, ...) {
  c(attr(object, "report"), list(transition = attr(object, "transition")))
}
