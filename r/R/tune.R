# The choice of temperatures and penalty: temper_tune().

temper_tune <- function(x, ...) UseMethod("temper_tune")

temper_tune.default <- function(x, y, weights = NULL, ...) {
  tune_rows(rows_of_matrix(x, y, weights), match.call(), ...)
}

temper_tune.data.frame <- function(x, y, weights = NULL, na.action = NULL, contrasts = NULL, ...) {
  tune_rows(rows_of_data(x, y, weights, na.action, contrasts), match.call(), ...)
}

temper_tune.formula <- function(formula, data, weights, subset, na.action, contrasts = NULL, ...) {
  call <- match.call()
  tune_rows(rows_of_formula(call, parent.frame(), contrasts), call, ...)
}

tune_rows <- function(rows, call, grid = NULL, folds = 10, criterion = NULL, assume = NULL, average = FALSE,
                      intercept = rows$intercept, ...) {
  call[[1L]] <- quote(temper_tune)
  given <- intersect(names(list(...)), c("loss", "t1", "t2", "l2", "holdout"))
  if (length(given) > 0) usage("temper_tune chooses temperatures and penalty from its grid; ", given[1], " is for temper")
  options <- c(check_options(intercept = intercept, ...), list(
    grid = check_text(grid, "grid"),
    folds = check_number(folds, "folds", 2, 1e6, whole = TRUE),
    criterion = check_text(criterion, "criterion", c("cv+c", "accuracy", "log-loss", "bounded-loss")),
    assume = check_text(assume, "assume", "structured"),
    average = check_flag(average, "average")
  ))
  data <- library_rows(rows)
  result <- checked(.Call(C_temper_r_tune, data, options), call)
  table <- as.data.frame(result$table, stringsAsFactors = FALSE)
  if (isTRUE(result$interrupted)) raise_interrupt(table)
  fit <- new_model(result$model, rows, call, result$training, NULL)
  fit <- with_training_rows(fit, data, rows, options$threads)
  table$best <- seq_len(nrow(table)) == result$report$best
  raise_warnings(result$report$warnings)
  structure(table, class = c("temper_tune", "data.frame"), model = fit, report = result$report)
}

print.temper_tune <- function(x, n = 6, ...) {
  report <- attr(x, "report")
  if (is.null(report) || is.null(x$accuracy)) return(NextMethod())
  best <- x[x$best, , drop = FALSE]
  cat(nrow(x), " candidates, ", report$folds, " folds\n", sep = "")
  if (nrow(best) == 1) {
    cat("chosen: ", describe_loss(best), "\n", sep = "")
  }
  cat("because ", r_words(report$reason), "\n", sep = "")
  cat("expected accuracy on new rows labelled like these: ", percent(report$expected_accuracy), " (",
      percent(report$expected_low), " to ", percent(report$expected_high), ")\n\n", sep = "")
  columns <- intersect(c("loss", "t1", "t2", "l2", "accuracy", "accuracy_error", "log_loss", "best"), names(x))
  order <- order(-x$accuracy)
  print(as.data.frame(unclass(x)[columns])[head(order, n), , drop = FALSE], digits = 4)
  if (nrow(x) > n) cat("... and ", nrow(x) - n, " others\n", sep = "")
  invisible(x)
}

predict.temper_tune <- function(object, ...) predict(temper_model(object), ...)

coef.temper_tune <- function(object, ...) coef(temper_model(object), ...)
