# Errors and warnings of the library as conditions of R, in the words of R.

# "--scale standard" becomes scale = "standard", "--max-iter" max_iter.
r_words <- function(text) {
  flag <- "--([a-z][a-z0-9-]*)"
  value <- "([ =](standard|none|log|maxabs|minmax|auto|balanced|f64|f32|[0-9][0-9.e-]*[0-9]|[0-9]))?"
  vapply(text, function(one) {
    found <- gregexpr(paste0(flag, value), one)
    regmatches(one, found) <- lapply(regmatches(one, found), function(words) {
      vapply(words, r_option, "", USE.NAMES = FALSE)
    })
    one
  }, "", USE.NAMES = FALSE)
}

r_option <- function(word) {
  parts <- strsplit(sub("^--", "", word), "[ =]")[[1]]
  name <- gsub("-", "_", parts[1], fixed = TRUE)
  if (length(parts) < 2) return(name)
  number <- grepl("^[0-9]", parts[2])
  paste0(name, " = ", if (number) parts[2] else dQuote(parts[2], FALSE))
}

# The result of a call of the library, or an error of class temper_error and, for example, temper_bad_data.
checked <- function(result, call = NULL) {
  if (!inherits(result, "temper_failure")) return(result)
  stop(structure(
    class = c(paste0("temper_", tolower(result$status)), "temper_error", "error", "condition"),
    list(message = r_words(result$message), call = call)
  ))
}

# Warnings, each with the class of its kind: temper_not_converged, temper_separable and so on.
raise_warnings <- function(texts) {
  for (i in seq_along(texts)) {
    kind <- gsub("-", "_", names(texts)[i], fixed = TRUE)
    warning(structure(
      class = c(paste0("temper_", kind), "temper_warning", "warning", "condition"),
      list(message = r_words(texts[[i]]), call = NULL)
    ))
  }
}

# What R does on an interrupt; the condition has what was computed so far.
raise_interrupt <- function(so_far = NULL) {
  condition <- structure(
    class = c("temper_interrupt", "interrupt", "condition"),
    list(message = "interrupted", call = NULL, so_far = so_far)
  )
  signalCondition(condition)
  invokeRestart("abort")
}

# ---- Arguments ----------------------------------------------------------------------------------

usage <- function(...) stop(..., call. = FALSE)

check_number <- function(value, name, least = -Inf, most = Inf, whole = FALSE) {
  if (is.null(value)) return(NULL)
  fine <- is.numeric(value) && length(value) == 1 && !is.na(value) && value >= least && value <= most &&
    (!whole || value == round(value))
  if (!fine) {
    kind <- if (whole) "a whole number" else "a number"
    range <- if (is.finite(most)) paste(" from", least, "to", most) else if (is.finite(least)) paste(" of at least", least) else ""
    usage(name, " has to be ", kind, range)
  }
  as.double(value)
}

check_flag <- function(value, name) {
  if (!is.logical(value) || length(value) != 1 || is.na(value)) usage(name, " has to be TRUE or FALSE")
  as.double(value)
}

check_text <- function(value, name, words = NULL) {
  if (is.null(value)) return(NULL)
  if (!is.character(value) || length(value) != 1 || is.na(value)) usage(name, " has to be one text")
  if (!is.null(words) && !value %in% words) {
    usage(name, " = ", dQuote(value, FALSE), " is none of ", paste(dQuote(words, FALSE), collapse = ", "))
  }
  value
}

# Of all fits: options that are absent are those of the library.
check_options <- function(loss = NULL, t1 = NULL, t2 = NULL, l2 = NULL, scale = NULL, solver = NULL, precision = NULL,
                          intercept = TRUE, starts = NULL, tol = NULL, max_iter = NULL, seed = 1, threads = 0,
                          calibrate = NULL, estimate_noise = FALSE, clean = NULL, holdout = NULL) {
  list(
    loss = check_text(loss, "loss"),
    t1 = check_number(t1, "t1", 0), t2 = check_number(t2, "t2", 0), l2 = check_number(l2, "l2", 0),
    scale = check_text(scale, "scale", c("none", "standard", "minmax", "maxabs", "log", "pixels")),
    solver = check_text(solver, "solver", c("auto", "newton", "lbfgs", "tron")),
    precision = check_text(precision, "precision", c("auto", "f32", "f64")),
    intercept = check_flag(intercept, "intercept"),
    starts = check_number(starts, "starts", 1, 3, whole = TRUE),
    tol = check_number(tol, "tol", 0, 1),
    max_iter = check_number(max_iter, "max_iter", 1, 1e9, whole = TRUE),
    seed = check_number(seed, "seed", 0, 2^53, whole = TRUE),
    threads = check_number(threads, "threads", 0, 1024, whole = TRUE),
    calibrate = check_text(calibrate, "calibrate", c("auto", "none", "folds", "train")),
    estimate_noise = check_flag(estimate_noise, "estimate_noise"),
    clean = check_text(clean, "clean", c("none", "drop", "relabel", "weigh")),
    holdout = check_text(holdout, "holdout")
  )
}
