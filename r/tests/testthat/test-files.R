test_that("a model file and saveRDS give the same predictions", {
  rows <- noisy_iris()
  fit <- temper(rows$x, rows$y)
  wanted <- predict(fit, rows$x, type = "prob")
  path <- tempfile(fileext = ".temper")
  on.exit(unlink(path))
  temper_save(fit, path)
  loaded <- temper_load(path)
  expect_identical(loaded$levels, levels(rows$y))
  expect_identical(predict(loaded, rows$x, type = "prob"), wanted)
  saveRDS(fit, path)
  expect_identical(predict(readRDS(path), rows$x, type = "prob"), wanted)
})

test_that("a file that is no model is refused", {
  path <- tempfile()
  on.exit(unlink(path))
  writeLines("nothing", path)
  expect_error(temper_load(path), class = "temper_error")
  expect_error(temper_load(file.path(path, "missing")), class = "temper_error")
  expect_error(temper_save(temper(Species ~ ., data = iris), "/nowhere/at/all.temper"), class = "temper_error")
  expect_error(temper_save(1, path), "model")
})

# Resident memory in MiB, as Linux has it.
resident <- function() {
  pages <- as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][2])
  pages * 4096 / 2^20
}

test_that("models and rows are freed", {
  skip_on_cran()
  skip_if_not(file.exists("/proc/self/statm"))
  skip_if_not_installed("Matrix")
  # Of each fit the library holds two megabytes: weights of 100,000 features, and rows.
  x <- Matrix::sparseMatrix(i = rep(1:20, each = 5000), j = 1:100000, x = rep(c(1, -2), 50000))
  fits <- function(count) {
    for (i in seq_len(count)) suppressWarnings(temper(x, rep(c("a", "b"), 10), max_iter = 1, calibrate = "none"))
    gc()
    resident()
  }
  before <- fits(10)
  expect_lt(fits(50) - before, 25)
})
