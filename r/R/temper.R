# Fitting: temper() and its methods.

temper <- function(x, ...) UseMethod("temper")

temper.default <- function(x, y, weights = NULL, ...) {
  fit_rows(rows_of_matrix(x, y, weights), match.call(), ...)
}

temper.data.frame <- function(x, y, weights = NULL, na.action = NULL, contrasts = NULL, ...) {
  fit_rows(rows_of_data(x, y, weights, na.action, contrasts), match.call(), ...)
}

temper.formula <- function(formula, data, weights, subset, na.action, contrasts = NULL, ...) {
  call <- match.call()
  fit_rows(rows_of_formula(call, parent.frame(), contrasts), call, ...)
}

# The options of one fit; `...` are those that all fits share (check_options).
fit_rows <- function(rows, call, intercept = rows$intercept, ...) {
  call[[1L]] <- quote(temper)
  options <- check_options(intercept = intercept, ...)
  data <- library_rows(rows)
  result <- checked(.Call(C_temper_r_train, data, options), call)
  fit <- new_model(result$model, rows, call, result$report, result$history)
  fit <- with_training_rows(fit, data, rows, options$threads)
  if (isTRUE(result$interrupted)) raise_interrupt(fit)
  raise_warnings(fit$report$warnings)
  fit
}

# ---- The object -----------------------------------------------------------------------------------

# A model of the library with what R knows of its rows.
new_model <- function(pointer, rows, call, report, history) {
  known <- .Call(C_temper_r_describe, pointer)
  names <- if (is.null(known$features)) paste0("V", seq_len(nrow(known$coefficients) - 1)) else known$features
  vectors <- if (ncol(known$coefficients) == 1) known$classes[2] else known$classes
  dimnames(known$coefficients) <- list(c("(Intercept)", names), vectors)
  if (!is.null(history)) colnames(history) <- c("objective", "gradient")
  structure(class = "temper", list(
    call = call, levels = known$classes, features = known$features, n_features = length(names),
    coefficients = known$coefficients, training = known[c("loss", "t1", "t2", "l2", "scale", "solver", "stop",
      "objective", "accuracy", "rows", "iterations", "seed", "noise_rate", "intercept")],
    report = report, history = history, terms = rows$terms, xlevels = rows$xlevels, contrasts = rows$contrasts,
    na.action = rows$na.action, weights = rows$weights, model = model_cell(pointer)
  ))
}

# The model of the library, and the bytes of its file: an external pointer does not survive saveRDS and load.
model_cell <- function(pointer) {
  cell <- new.env(parent = emptyenv())
  cell$pointer <- pointer
  cell$bytes <- checked(.Call(C_temper_r_to_bytes, pointer))
  cell
}

model_pointer <- function(object) {
  cell <- object$model
  if (!.Call(C_temper_r_is_valid, cell$pointer)) cell$pointer <- checked(.Call(C_temper_r_from_bytes, cell$bytes))
  cell$pointer
}

# Predictions, margins and importance factors of the training rows.
with_training_rows <- function(fit, data, rows, threads) {
  pointer <- model_pointer(fit)
  fit$y <- rows$y
  decisions <- library_prediction(fit, data, "link", threads)
  fit$fitted.values <- library_prediction(fit, data, "prob", threads)
  fit$fitted.classes <- library_prediction(fit, data, "class", threads)
  fit$margins <- margins_of(decisions, rows$y)
  fit$importance <- checked(.Call(C_temper_r_importance, pointer, data, threads))
  fit
}

# The score of the given class less the largest other one.
margins_of <- function(decisions, y) {
  if (!is.matrix(decisions)) return(ifelse(as.integer(y) == 2L, decisions, -decisions))
  given <- cbind(seq_along(y), as.integer(y))
  score <- decisions[given]
  decisions[given] <- -Inf
  score - decisions[cbind(seq_along(y), max.col(decisions, "first"))]
}

# ---- Predictions ------------------------------------------------------------------------------------

OUTPUTS <- c(class = 0L, prob = 1L, raw = 2L, link = 3L, true = 4L)

# Factor, matrix of rows x classes, or vector of two classes' decisions. NULL if the model has no such prediction.
library_prediction <- function(object, data, type, threads = 0) {
  numbers <- checked(.Call(C_temper_r_predict, model_pointer(object), data, OUTPUTS[[type]], as.double(threads)))
  if (is.null(numbers)) return(NULL)
  if (type == "class") return(factor(object$levels[numbers + 1], levels = object$levels))
  if (type == "link" && length(object$levels) == 2) return(numbers)
  matrix(numbers, ncol = length(object$levels), byrow = TRUE, dimnames = list(NULL, object$levels))
}

predict.temper <- function(object, newdata, type = c("class", "response", "prob", "link", "raw", "true"),
                           na.action = stats::na.pass, threads = 0, ...) {
  type <- match.arg(type)
  if (type == "response") type <- "prob"
  threads <- check_number(threads, "threads", 0, 1024, whole = TRUE)
  if (missing(newdata) || is.null(newdata)) {
    if (!type %in% c("class", "prob")) usage("give newdata for type = ", dQuote(type, FALSE))
    return(fitted(object, type = type))
  }
  new <- new_features(object, newdata, na.action)
  whole <- if (is_sparse(new$x)) rep(TRUE, nrow(new$x)) else complete.cases(new$x)
  predicted <- predict_whole(object, new$x[whole, , drop = FALSE], type, threads)
  predicted <- spread(predicted, whole, rownames(new$x))
  napredict(new$na.action, predicted)
}

predict_whole <- function(object, x, type, threads) {
  rows <- list(x = x, y = NULL, weights = NULL, features = object$features)
  if (nrow(x) == 0) { # nothing to compute: the shape of a prediction
    if (type == "class") return(factor(character(), levels = object$levels))
    if (type == "link" && length(object$levels) == 2) return(numeric())
    return(matrix(0, 0, length(object$levels), dimnames = list(NULL, object$levels)))
  }
  predicted <- library_prediction(object, library_rows(rows), type, threads)
  if (is.null(predicted)) refuse_prediction(object, type)
  predicted
}

refuse_prediction <- function(object, type) {
  remedy <- switch(type, true = "; fit it with estimate_noise = TRUE", prob = "; fit it with another calibrate, t1 or loss", "")
  usage("the model has no prediction of type ", dQuote(type, FALSE), remedy)
}

# Predictions of the rows without missing values, with NA for the others.
spread <- function(predicted, whole, names) {
  if (is.matrix(predicted)) {
    all <- matrix(NA_real_, length(whole), ncol(predicted), dimnames = list(names, colnames(predicted)))
    all[whole, ] <- predicted
    return(all)
  }
  all <- predicted[rep(NA_integer_, length(whole))]
  all[whole] <- predicted
  if (!is.null(names)) names(all) <- names
  all
}

# ---- Methods ----------------------------------------------------------------------------------------

coef.temper <- function(object, ...) drop_single(object$coefficients)

# One column, of two classes, is a vector.
drop_single <- function(matrix) if (ncol(matrix) == 1) matrix[, 1] else matrix

fitted.temper <- function(object, type = c("prob", "class"), ...) {
  type <- match.arg(type)
  values <- if (type == "class") object$fitted.classes else object$fitted.values
  if (is.null(values)) usage("the training rows are not in a model that was loaded; or it has no probabilities")
  napredict(object$na.action, values)
}

nobs.temper <- function(object, ...) object$training$rows

percent <- function(share) paste(format(100 * share, digits = 4), "%")

describe_loss <- function(training) {
  paste0(training$loss, ", t1 = ", format(training$t1), ", t2 = ", format(training$t2), ", l2 = ", format(training$l2, digits = 4))
}

print.temper <- function(x, ...) {
  classes <- paste(head(x$levels, 8), collapse = ", ")
  cat("Logistic regression for noisy labels (temper)\n")
  if (!is.null(x$call)) cat("\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat("\n", format(x$training$rows, big.mark = ","), " rows, ", x$n_features, " features, ", length(x$levels),
      " classes: ", classes, if (length(x$levels) > 8) ", ...", "\n", sep = "")
  cat("loss: ", describe_loss(x$training), "\n", sep = "")
  cat("accuracy on the training rows: ", percent(x$training$accuracy), "\n", sep = "")
  expected <- x$report$expected
  if (!is.null(expected)) {
    cat("expected on new rows labelled like these: ", percent(expected[["accuracy"]]), " (", percent(expected[["low"]]),
        " to ", percent(expected[["high"]]), ")\n", sep = "")
  }
  if (!is.nan(x$training$noise_rate)) cat("estimated share of wrong labels:", percent(x$training$noise_rate), "\n")
  cat("stopped: ", x$training$stop, " after ", x$training$iterations, " iterations\n", sep = "")
  invisible(x)
}

summary.temper <- function(object, ...) {
  confusion <- NULL
  if (!is.null(object$y)) confusion <- table(given = object$y, predicted = object$fitted.classes)
  structure(class = "summary.temper", list(object = object, coefficients = object$coefficients, confusion = confusion,
    warnings = unname(r_words(as.character(object$report$warnings)))))
}

print.summary.temper <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print(x$object)
  cat("\nCoefficients, for features as in the data:\n")
  print(drop_single(x$coefficients), digits = digits)
  if (!is.null(x$confusion)) {
    cat("\nTraining rows:\n")
    print(x$confusion)
  }
  for (text in x$warnings) cat("\nwarning: ", text, "\n", sep = "")
  invisible(x)
}

# ---- Files --------------------------------------------------------------------------------------------

temper_save <- function(object, path) {
  object <- temper_model(object)
  checked(.Call(C_temper_r_save, model_pointer(object), path.expand(check_text(path, "path"))))
  invisible(path)
}

temper_load <- function(path) {
  pointer <- checked(.Call(C_temper_r_load, path.expand(check_text(path, "path"))))
  new_model(pointer, list(), NULL, NULL, NULL)
}

temper_model <- function(object) {
  if (inherits(object, "temper")) return(object)
  if (inherits(object, "temper_tune") && !is.null(attr(object, "model"))) return(attr(object, "model"))
  usage("a model or the result of temper_tune was expected, not ", paste(class(object), collapse = ", "))
}
