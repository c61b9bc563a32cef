# Rows for the library: of matrices, sparse matrices, data frames and formulas.
#
# All become a list: `x` as the library takes it (see packed()), `y` a factor without unused levels, or NULL; `weights`;
# `features`, their names or NULL; and of a formula or data frame what is needed to make the same columns of other rows.

# ---- Features -----------------------------------------------------------------------------------

is_sparse <- function(x) inherits(x, "sparseMatrix")

# The library wants the features of a row together: the transposed matrix.
packed <- function(x) {
  if (is_sparse(x)) {
    columns <- Matrix::t(compressed_columns(x))
    return(list(columns@p, columns@i, columns@x, ncol(x)))
  }
  storage.mode(x) <- "double"
  unname(t(x))
}

# Any sparse matrix of the package Matrix as one of numbers in compressed columns.
compressed_columns <- function(x) {
  if (inherits(x, "dgCMatrix")) return(x)
  general <- as(as(x, "generalMatrix"), "CsparseMatrix")
  as(general, "dMatrix")
}

check_matrix <- function(x, name = "x") {
  if (is_sparse(x)) {
    if (!requireNamespace("Matrix", quietly = TRUE)) usage("a sparse matrix needs the package Matrix")
    return(x)
  }
  if (inherits(x, "Matrix")) x <- as.matrix(x) # a dense one
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    usage(name, " has to be a matrix of numbers, a sparse matrix of the package Matrix, a data frame, or a formula; it is ",
          paste(class(x), collapse = ", "))
  }
  x
}

# Where the first missing value is, and what to do about it.
refuse_missing <- function(x) {
  if (is_sparse(x) || !anyNA(x)) return(invisible())
  rows <- which(rowSums(is.na(x)) > 0)
  usage("x has missing values in ", length(rows), " of ", nrow(x), " rows, the first of which is row ", rows[1],
        "; leave these rows out, or give a data frame or a formula, for which na.action does that")
}

# ---- Labels and weights --------------------------------------------------------------------------

check_labels <- function(y, rows) {
  if (is.matrix(y) && ncol(y) == 1) y <- drop(y)
  if (!is.factor(y) && !is.character(y) && !is.numeric(y) && !is.logical(y)) {
    usage("y has to be a factor, or texts or numbers that name the classes; it is ", paste(class(y), collapse = ", "))
  }
  if (length(y) != rows) usage("there are ", length(y), " labels in y for ", rows, " rows")
  if (anyNA(y)) usage("y has missing values, the first in row ", which(is.na(y))[1], "; leave these rows out")
  if (is.numeric(y) && any(y != round(y))) usage("y has fractions, so that it is no label: this is not a regression")
  droplevels(as.factor(y))
}

check_weights <- function(weights, rows) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights)) usage("weights have to be numbers")
  if (length(weights) != rows) usage("there are ", length(weights), " weights for ", rows, " rows")
  as.double(weights)
}

# ---- Rows ---------------------------------------------------------------------------------------

rows_of_matrix <- function(x, y, weights = NULL) {
  x <- check_matrix(x)
  refuse_missing(x)
  list(x = x, y = check_labels(y, nrow(x)), weights = check_weights(weights, nrow(x)), features = colnames(x),
       intercept = TRUE, na.action = NULL)
}

# `frame` is a model frame with the response.
rows_of_frame <- function(frame, contrasts = NULL) {
  if (!is.null(model.offset(frame))) usage("an offset is not supported")
  if (nrow(frame) == 0) usage("no rows are left; na.action or subset have removed them all")
  design <- attr(frame, "terms")
  x <- model.matrix(design, frame, contrasts)
  intercept <- attr(design, "intercept") == 1
  kept <- attr(x, "contrasts")
  if (intercept) x <- x[, colnames(x) != "(Intercept)", drop = FALSE]
  list(x = x, y = check_labels(model.response(frame), nrow(frame)),
       weights = check_weights(model.weights(frame), nrow(frame)), features = colnames(x), intercept = intercept,
       na.action = attr(frame, "na.action"), terms = design, xlevels = .getXlevels(design, frame), contrasts = kept)
}

# The call of a method for formulas, evaluated as lm does it: weights and subset are looked up in the data.
rows_of_formula <- function(call, where, contrasts = NULL) {
  wanted <- match(c("formula", "data", "subset", "weights", "na.action"), names(call), 0L)
  call <- call[c(1L, wanted)]
  call[[1L]] <- quote(stats::model.frame)
  call$drop.unused.levels <- TRUE
  rows_of_frame(eval(call, where), contrasts)
}

# A data frame of features and a response beside it.
rows_of_data <- function(x, y, weights = NULL, na.action = NULL, contrasts = NULL) {
  if (NROW(y) != nrow(x)) usage("there are ", NROW(y), " labels in y for ", nrow(x), " rows")
  if (any(c(".label", ".weights") %in% names(x))) usage("the names .label and .weights are not for columns")
  x$.label <- y
  design <- terms(.label ~ ., data = x)
  arguments <- list(formula = design, data = x, drop.unused.levels = TRUE)
  if (!is.null(weights)) arguments$weights <- check_weights(weights, nrow(x))
  if (!is.null(na.action)) arguments$na.action <- na.action
  rows_of_frame(do.call(model.frame, arguments), contrasts)
}

# Rows as data of the library. Without labels they can be predicted.
library_rows <- function(rows) {
  labels <- if (is.null(rows$y)) NULL else as.integer(rows$y) - 1L
  checked(.Call(C_temper_r_data, packed(rows$x), labels, list(levels(rows$y), rows$features), rows$weights))
}

# ---- Rows to predict ------------------------------------------------------------------------------

# The features of new rows in the order of the model. Rows with missing values are kept: their predictions are missing.
new_features <- function(object, newdata, na.action) {
  if (is.null(object$terms)) return(list(x = new_matrix(object, newdata), na.action = NULL))
  if (!is.data.frame(newdata)) {
    usage("the model was fitted to a data frame: newdata has to be one, too; it is ", paste(class(newdata), collapse = ", "))
  }
  design <- delete.response(object$terms)
  frame <- model.frame(design, newdata, na.action = na.action, xlev = object$xlevels)
  classes <- attr(design, "dataClasses")
  if (!is.null(classes)) .checkMFClasses(classes, frame)
  x <- model.matrix(design, frame, contrasts.arg = object$contrasts)
  list(x = x[, colnames(x) != "(Intercept)", drop = FALSE], na.action = attr(frame, "na.action"))
}

# By the names of the columns, where both have names; else by their order.
new_matrix <- function(object, newdata) {
  if (is.data.frame(newdata)) newdata <- as.matrix(newdata)
  x <- check_matrix(newdata, "newdata")
  names <- object$features
  if (!is.null(names) && !is.null(colnames(x))) {
    missing <- setdiff(names, colnames(x))
    if (length(missing) > 0) usage("newdata has no column ", paste(dQuote(head(missing, 3), FALSE), collapse = ", "))
    return(x[, names, drop = FALSE])
  }
  if (ncol(x) != object$n_features) {
    usage("newdata has ", ncol(x), " columns, the model has ", object$n_features, " features")
  }
  x
}
