test_that("iris is learnt, in spite of wrong labels", {
  rows <- noisy_iris()
  fit <- temper(rows$x, rows$y)
  expect_s3_class(fit, "temper")
  expect_gt(mean(predict(fit, rows$x) == iris$Species), 0.95)
  expect_equal(dim(coef(fit)), c(5, 3))
  expect_equal(rownames(coef(fit)), c("(Intercept)", colnames(rows$x)))
  expect_equal(nobs(fit), 150)
  expect_lt(mean(fit$margins[rows$wrong]), 0)
})

test_that("matrix, data frame and formula give the same model", {
  rows <- noisy_iris()
  frame <- data.frame(iris[, 1:4], Species = rows$y)
  matrix <- temper(rows$x, rows$y)
  expect_identical(coef(temper(iris[, 1:4], rows$y)), coef(matrix))
  expect_identical(coef(temper(Species ~ ., data = frame)), coef(matrix))
})

test_that("predictions have the types of R", {
  rows <- noisy_iris()
  fit <- temper(rows$x, rows$y)
  classes <- predict(fit, rows$x)
  expect_s3_class(classes, "factor")
  expect_identical(levels(classes), levels(rows$y))
  prob <- predict(fit, rows$x, type = "prob")
  expect_equal(dim(prob), c(150, 3))
  expect_equal(unname(rowSums(prob)), rep(1, 150))
  expect_identical(prob, predict(fit, rows$x, type = "response"))
  expect_identical(unname(prob), unname(fitted(fit)))
  expect_identical(unname(classes), fitted(fit, type = "class"))
  link <- predict(fit, rows$x, type = "link")
  expect_identical(levels(rows$y)[max.col(link)], as.character(unname(classes)))
})

test_that("two classes have one weight vector and one decision value", {
  two <- droplevels(iris[51:150, ])
  fit <- temper(Species ~ ., data = two)
  expect_length(coef(fit), 5)
  link <- predict(fit, two, type = "link")
  expect_length(link, 100)
  expect_identical(unname(link > 0), unname(predict(fit, two)) == "virginica")
  expect_equal(unname(link), unname(drop(cbind(1, as.matrix(two[, 1:4])) %*% coef(fit))), tolerance = 1e-10)
})

test_that("sparse matrices are taken as they are", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  x <- matrix(rbinom(2000, 1, 0.1), 200)
  y <- ifelse(x[, 1] + x[, 2] - x[, 3] + rnorm(200, sd = 0.3) > 0.5, "yes", "no")
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  fit <- temper(sparse, y)
  expect_equal(coef(fit), coef(temper(x, y, scale = "none", l2 = fit$training$l2, tol = 1e-10)), tolerance = 1e-2)
  expect_identical(predict(fit, sparse, type = "link"), predict(fit, sparse[1:200, ], type = "link"))
  expect_equal(predict(fit, sparse, type = "link"), predict(fit, x, type = "link"), tolerance = 1e-6)
})

test_that("factors become the columns of model.matrix, and keep their levels", {
  set.seed(2)
  frame <- data.frame(size = rnorm(200), colour = factor(sample(c("red", "green", "blue"), 200, TRUE)))
  frame$kind <- ifelse(frame$size + 2 * (frame$colour == "red") + rnorm(200, sd = 0.5) > 0.5, "a", "b")
  fit <- temper(kind ~ size * colour, data = frame)
  expect_equal(names(coef(fit)), c("(Intercept)", colnames(model.matrix(~ size * colour, frame))[-1]))
  one <- data.frame(size = 0.3, colour = "red")
  expect_length(predict(fit, one), 1)
  expect_error(predict(fit, data.frame(size = 0, colour = "purple")), "purple")
  expect_equal(coef(temper(kind ~ size - 1, data = frame, scale = "none"))[["(Intercept)"]], 0)
})

test_that("weights count rows, in a formula by their name in the data", {
  rows <- noisy_iris()
  frame <- data.frame(rows$x, Species = rows$y, w = rep(c(1, 2), 75))
  twice <- frame[rep(seq_len(150), frame$w), ]
  weighted <- temper(Species ~ . - w, data = frame, weights = w, l2 = 0.01, scale = "none", tol = 1e-10)
  repeated <- temper(Species ~ . - w, data = twice, l2 = 0.01, scale = "none", tol = 1e-10)
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-4)
})

test_that("rows with missing values are left out, or their predictions are missing", {
  frame <- iris
  frame$Sepal.Length[3] <- NA
  fit <- temper(Species ~ ., data = frame)
  expect_equal(nobs(fit), 149)
  predicted <- predict(fit, frame)
  expect_length(predicted, 150)
  expect_true(is.na(predicted[3]) && !anyNA(predicted[-3]))
  expect_error(temper(Species ~ ., data = frame, na.action = na.fail), "missing")
  kept <- temper(Species ~ ., data = frame, na.action = na.exclude)
  expect_equal(nrow(fitted(kept)), 150)
  expect_true(all(is.na(fitted(kept)[3, ])))
  expect_error(temper(as.matrix(frame[, 1:4]), frame$Species), "row 3")
})

test_that("the seed decides, and R's own state of random numbers is left alone", {
  rows <- noisy_iris()
  set.seed(5)
  before <- .Random.seed
  first <- temper(rows$x, rows$y, seed = 3)
  expect_identical(.Random.seed, before)
  expect_identical(coef(first), coef(temper(rows$x, rows$y, seed = 3, threads = 1)))
})

test_that("bad input is refused with what and where", {
  x <- as.matrix(iris[, 1:4])
  expect_error(temper(x, iris$Species[-1]), "149 labels in y for 150 rows")
  expect_error(temper(x, rep("a", 150)), "class")
  expect_error(temper(x, replace(as.character(iris$Species), 7, NA)), "row 7")
  expect_error(temper(x, iris$Sepal.Length), "regression")
  expect_error(temper(letters, letters), "matrix of numbers")
  expect_error(temper(x, iris$Species, t1 = -1), "t1 has to be a number of at least 0")
  expect_error(temper(x, iris$Species, scale = "big"), "none of")
  expect_error(temper(x, iris$Species, loss = "huber"), "there is no loss 'huber'", class = "temper_usage")
  expect_error(temper(x, iris$Species, weights = 1:3), "3 weights for 150 rows")
  expect_error(temper(x, iris$Species, nonsense = 1), "unused argument")
  expect_error(temper(replace(x, 5, Inf), iris$Species), "finite", class = "temper_bad_data")
  expect_error(temper(Species ~ . + offset(Sepal.Length), data = iris), "offset")
  fit <- temper(x, iris$Species)
  expect_error(predict(fit, x[, 1:2]), "no column")
  expect_error(predict(fit, unname(x[, 1:2])), "2 columns")
})

test_that("warnings of the library are those of R", {
  expect_warning(temper(as.matrix(iris[, 1:4]), iris$Species, max_iter = 1), class = "temper_not_converged")
})

test_that("the words of the command line become those of R", {
  expect_identical(temper:::r_words("try --scale standard, or raise --max-iter; --t1 0.5"),
                   'try scale = "standard", or raise max_iter; t1 = 0.5')
})
