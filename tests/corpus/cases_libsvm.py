"""libsvm text: what a row may be, and every way in which one goes wrong.

A case is (name, bytes, outcome, options); an outcome is "ok ROWS FEATURES CLASSES" or an exit code."""

GOOD = b"+1 1:0.5 3:2\n-1 2:1\n+1 1:1 2:1 3:1\n"
LINE = b"1 1:0.5 2:2\n"


def right():
    """Rows that are understood."""
    yield "basic.svm", GOOD, "ok 3 3 2"
    yield "comment-lines.svm", b"# made by hand\n" + GOOD + b"# the end\n", "ok 3 3 2"
    yield "comment-first-then-blank.svm", b"# a\n\n#b\n\n" + GOOD, "ok 3 3 2"
    yield "comment-behind.svm", b"1 1:2 # first\n-1 2:2 #second\n", "ok 2 2 2"
    yield "comment-with-colon.svm", b"1 1:2 # 7:7\n-1 2:2\n", "ok 2 2 2"
    yield "comment-behind-label.svm", b"1 # nothing here\n-1 2:2\n", "ok 2 2 2"
    yield "crlf.svm", GOOD.replace(b"\n", b"\r\n"), "ok 3 3 2"
    yield "crlf-mixed.svm", b"1 1:1\r\n-1 1:2\n1 1:3\r\n", "ok 3 1 2"
    yield "bom.svm", b"\xef\xbb\xbf" + GOOD, "ok 3 3 2"
    yield "no-final-newline.svm", GOOD[:-1], "ok 3 3 2"
    yield "blank-lines-between.svm", b"\n1 1:1\n\n \n-1 1:2\n\t\n\n", "ok 2 1 2"
    yield "tabs.svm", b"1\t1:1\t2:2\n-1\t1:2\n", "ok 2 2 2"
    yield "trailing-blanks.svm", b"1 1:1 2:2  \n-1 1:2 \t\n", "ok 2 2 2"
    yield "leading-blanks.svm", b"  1 1:1\n -1 1:2\n", "ok 2 1 2"
    yield "many-blanks.svm", b"1   1:1     2:2\n-1 1:2\n", "ok 2 2 2"
    yield "qid.svm", b"2 qid:1 1:1\n1 qid:1 1:2\n1 qid:2 2:1\n", "ok 3 2 2"
    yield "label-only-row.svm", b"1 1:1\n-1\n1 2:1\n", "ok 3 2 2"
    yield "label-only-last.svm", b"1 1:1\n-1\n", "ok 2 1 2"
    yield "labels-only.svm", b"1\n-1\n", 65, "--format libsvm"
    yield "one-class.svm", b"1 1:1\n1 2:1\n", "ok 2 2 1"
    yield "one-row.svm", b"1 1:1\n", "ok 1 1 1"
    yield "plus-sign-is-the-same.svm", b"+1 1:1\n1 1:2\n1.0 1:3\n1e0 1:4\n-1 1:5\n", "ok 5 1 2"
    yield "text-labels.svm", b"frog 1:1\nship 1:2\nfrog 1:3\n", "ok 3 1 2"
    yield "utf8-labels.svm", "grün 1:1\nблe 1:2\n".encode(), "ok 2 1 2"
    yield "label-with-colon-free-punctuation.svm", b"a-b/c 1:1\nd_e.f 1:2\n", "ok 2 1 2"
    yield "label-large-number.svm", b"1e300 1:1\n-1e300 1:2\n", "ok 2 1 2"
    yield "labels-many.svm", b"".join(b"%d 1:1\n" % i for i in range(300)), "ok 300 1 300"
    yield "unlabelled.svm", b"1:1 2:2\n1:2\n", "ok 2 2 0"
    yield "exponents.svm", b"1 1:1e3 2:-2.5E-3\n-1 1:+4 2:.5\n", "ok 2 2 2"
    yield "denormal.svm", b"1 1:1e-40 2:1e-45\n-1 1:1\n", "ok 2 2 2"
    yield "underflow.svm", b"1 1:1e-400\n-1 1:1\n", "ok 2 1 2"
    yield "negative-zero.svm", b"1 1:-0\n-1 1:0\n", "ok 2 1 2"
    yield "explicit-zeros.svm", b"1 1:0 2:0\n-1 1:0\n", "ok 2 2 2"
    yield "long-digits.svm", b"1 1:0." + b"3" * 400 + b"\n-1 1:1\n", "ok 2 1 2"
    yield "very-long-digits.svm", b"1 1:0." + b"3" * 4000 + b"\n-1 1:" + b"0" * 4000 + b"1\n", "ok 2 1 2"
    yield "very-long-whole.svm", b"1 1:1\n-1 1:" + b"7" * 4000 + b"e-3999\n", "ok 2 1 2"
    yield "label-huge-text.svm", b"x" * 5000 + b" 1:1\n1 1:2\n", "ok 2 1 2"
    yield "label-huge-number.svm", b"0." + b"1" * 5000 + b" 1:1\n1 1:2\n", "ok 2 1 2"
    yield "zero-based.svm", b"1 0:1 2:1\n-1 1:1\n", "ok 2 3 2", "--zero-based"
    yield "zero-based-from-1.svm", b"1 1:1\n-1 2:1\n", "ok 2 3 2", "--zero-based"
    yield "wide-index.svm", b"1 1:1 2147483647:1\n-1 2:1\n", "ok 2 2147483647 2"
    yield "constant-column.svm", b"1 1:5 2:1\n-1 1:5\n", "ok 2 2 2"
    yield "f64.svm", b"1 1:0.1\n-1 1:0.2\n", "ok 2 1 2", "--type f64"
    yield "classes-kept.svm", b"1 1:1\n2 1:2\n3 1:3\n", "ok 2 1 2", "--classes 1,3"
    yield "class-weight-balanced.svm", GOOD, "ok 3 3 2", "--class-weight balanced"
    yield "class-weight-named.svm", GOOD, "ok 3 3 2", "--class-weight 1=2,-1=0.5"
    yield "no-extension", GOOD, "ok 3 3 2"
    yield "named-csv-but-libsvm.csv", GOOD, "ok 3 3 2"


def wrong_files():
    """The file as a whole."""
    yield "empty.svm", b"", 65
    yield "empty-told.svm", b"", 65, "--format libsvm"
    yield "one-newline.svm", b"\n", 65
    yield "blank-lines-only.svm", b"\n  \n\t\n\n", 65
    yield "comments-only.svm", b"# a\n# b\n", 65
    yield "bom-only.svm", b"\xef\xbb\xbf", 65
    yield "nul-first.svm", b"\x00" + GOOD, 65
    yield "nul-in-value.svm", b"1 1:1\n-1 1:\x002\n", 65
    yield "nul-in-label.svm", b"1 1:1\n-\x001 1:2\n", 65
    yield "nul-between.svm", b"1 1:1 \x00 2:1\n-1 1:2\n", 65
    yield "nul-last.svm", GOOD + b"\x00", 65
    yield "nul-told.svm", GOOD + b"\x00\x00\x00", 65, "--format libsvm"
    yield "utf16.svm", GOOD.decode().encode("utf-16"), 65
    yield "utf16-told.svm", GOOD.decode().encode("utf-16"), 65, "--format libsvm"
    yield "bom-within.svm", b"1 1:1\n\xef\xbb\xbf-1 1:2 \xef\xbb\xbf\n", 65
    yield "binary.svm", bytes(range(256)), 65
    yield "html.svm", b"<!DOCTYPE html>\n<html><body>404 not found</body></html>\n", 65
    yield "carriage-returns-only.svm", b"1 1:1\r-1 1:2\r", 65
    yield "form-feed.svm", b"1 1:1\x0c2:2\n-1 1:1\n", "ok 2 2 2"
    yield "csv-told-libsvm.svm", b"1,2,3\n4,5,6\n", 65, "--format libsvm"
    yield "unknown-class.svm", GOOD, 2, "--classes 1,7"
    yield "class-weight-unknown.svm", GOOD, 2, "--class-weight 7=2"
    yield "class-weight-negative.svm", GOOD, 2, "--class-weight 1=-2"
    yield "class-weight-text.svm", GOOD, 2, "--class-weight 1=much"
    yield "class-weight-all-zero.svm", GOOD, 65, "--class-weight 1=0,-1=0"
    yield "classes-of-unlabelled.svm", b"1:1\n1:2\n", 2, "--classes 1"


def wrong_labels():
    """The first word of a line."""
    yield "label-nan.svm", b"1 1:1\nnan 1:2\n", 65
    yield "label-NaN.svm", b"NaN 1:1\n1 1:2\n", 65
    yield "label-inf.svm", b"1 1:1\ninf 1:2\n", 65
    yield "label-minus-inf.svm", b"1 1:1\n-Infinity 1:2\n", 65
    yield "label-overflow.svm", b"1 1:1\n1e400 1:2\n", 65
    yield "label-missing.svm", b"1 1:1\n1:2\n", 65
    yield "label-missing-first.svm", b"1:2\n1 1:1\n", 65
    yield "label-twice.svm", b"1 1:1\n-1 1 1:2\n", 65
    yield "label-list.svm", b"1,2 1:1\n1 1:2\n", 65
    yield "label-with-unprintables.svm", b"1 1:1\nnan\x1b[31m 1:2 x\n", 65


def wrong_values():
    """Behind the colon."""
    for word in ("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400"):
        yield f"value-{word}.svm", b"1 1:1\n-1 1:2 3:%s\n" % word.encode(), 65
    yield "value-beyond-float.svm", b"1 1:1\n-1 1:1e39\n", 65
    yield "value-text.svm", b"1 1:1\n-1 1:abc\n", 65
    yield "value-hex.svm", b"1 1:1\n-1 1:0x10\n", 65
    yield "value-comma.svm", b"1 1:1\n-1 1:1,5\n", 65
    yield "value-two-points.svm", b"1 1:1\n-1 1:1.2.3\n", 65
    yield "value-two-signs.svm", b"1 1:1\n-1 1:--1\n", 65
    yield "value-bare-exponent.svm", b"1 1:1\n-1 1:1e\n", 65
    yield "value-bare-point.svm", b"1 1:1\n-1 1:.\n", 65
    yield "value-missing.svm", b"1 1:1\n-1 1: 2:3\n", 65
    yield "value-missing-at-end.svm", b"1 1:1\n-1 1:\n", 65
    yield "value-two-colons.svm", b"1 1:1\n-1 1:2:3\n", 65
    yield "value-blank-before.svm", b"1 1:1\n-1 1 :2\n", 65
    yield "value-unprintable.svm", b"1 1:1\n-1 1:\x07\xff\n", 65
    yield "value-4000-digits.svm", b"1 1:1\n-1 1:" + b"7" * 4000 + b"\n", 65
    yield "value-very-long.svm", b"1 1:1\n-1 1:" + b"9x" * 2000 + b"\n", 65
    yield "token-without-value.svm", b"1 1:1\n-1 2\n", 65
    yield "token-without-value-within.svm", b"1 1:1\n-1 2 3:1\n", 65
    yield "token-text.svm", b"1 1:1\n-1 hello 3:1\n", 65


def wrong_indices():
    """Before the colon."""
    yield "index-0.svm", b"1 1:1\n-1 0:2 3:4\n", 65
    yield "index-0-first-line.svm", b"1 0:1 1:1\n-1 1:2\n", 65
    yield "index-negative.svm", b"1 1:1\n-1 -1:2\n", 65
    yield "index-negative-zero-based.svm", b"1 1:1\n-1 -1:2\n", 65, "--zero-based"
    yield "index-2e31.svm", b"1 1:1\n-1 2147483648:2\n", 65
    yield "index-2e32-1.svm", b"1 1:1\n-1 4294967295:2\n", 65
    yield "index-2e32.svm", b"1 1:1\n-1 4294967296:2\n", 65
    yield "index-1e18.svm", b"1 1:1\n-1 1000000000000000000:2\n", 65
    yield "index-beyond-64-bits.svm", b"1 1:1\n-1 99999999999999999999999:2\n", 65
    yield "index-duplicate.svm", b"1 1:1\n-1 2:1 2:2\n", 65
    yield "index-descending.svm", b"1 1:1\n-1 3:1 2:2\n", 65
    yield "index-fraction.svm", b"1 1:1\n-1 1.5:2\n", 65
    yield "index-plus.svm", b"1 1:1\n-1 +2:2\n", 65
    yield "index-text.svm", b"1 1:1\n-1 x:2\n", 65
    yield "index-missing.svm", b"1 1:1\n-1 :2\n", 65
    yield "index-hex.svm", b"1 1:1\n-1 0x2:2\n", 65
    yield "qid-late.svm", b"1 1:1\n-1 1:2 qid:3\n", "ok 2 1 2"
    yield "qid-text.svm", b"1 qid:a 1:1\n-1 1:2\n", 65


def cut_off():
    """The end of a file that did not come through."""
    yield "cut-label-only.svm", b"1 1:1\n-1", 65
    yield "cut-in-label.svm", b"1 1:1\n-", 65
    yield "cut-behind-index.svm", b"1 1:1\n-1 2", 65
    yield "cut-behind-colon.svm", b"1 1:1\n-1 2:", 65
    yield "cut-in-exponent.svm", b"1 1:1\n-1 2:1e", 65
    yield "cut-behind-sign.svm", b"1 1:1\n-1 2:-", 65


def cases():
    for group in (right, wrong_files, wrong_labels, wrong_values, wrong_indices, cut_off):
        yield from group()
