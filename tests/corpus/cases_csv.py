"""CSV and TSV: quoting, headers, labels, missing values, columns by name."""

HEAD = b"height,width,kind\n"
ROWS = b"1,2,a\n3,4,b\n5,6,a\n"
GOOD = HEAD + ROWS


def right():
    """Tables that are understood."""
    yield "basic.csv", GOOD, "ok 3 2 2"
    yield "no-header.csv", ROWS, "ok 3 2 2"
    yield "numbers-only.csv", b"1,2,0\n3,4,1\n5,6,0\n", "ok 3 2 2"
    yield "header-yes.csv", b"1,2,3\n4,5,6\n", "ok 1 2 1", "--header yes"
    yield "header-no.csv", b"1,2,x\n4,5,y\n", "ok 2 2 2", "--header no"
    yield "crlf.csv", GOOD.replace(b"\n", b"\r\n"), "ok 3 2 2"
    yield "bom.csv", b"\xef\xbb\xbf" + GOOD, "ok 3 2 2"
    yield "no-final-newline.csv", GOOD[:-1], "ok 3 2 2"
    yield "blank-lines.csv", b"\n" + HEAD + b"\n" + ROWS + b"\n\n", "ok 3 2 2"
    yield "blanks-around.csv", b"height , width,kind\n 1, 2 ,a\n3,4, b \n", "ok 2 2 2"
    yield "semicolons.csv", GOOD.replace(b",", b";"), "ok 3 2 2"
    yield "tabs.tsv", GOOD.replace(b",", b"\t"), "ok 3 2 2"
    yield "tabs-named-csv.csv", GOOD.replace(b",", b"\t"), "ok 3 2 2"
    yield "told-tsv.txt", GOOD.replace(b",", b"\t"), "ok 3 2 2", "--format tsv"
    yield "extension-data.data", ROWS, "ok 3 2 2"
    yield "quoted.csv", b'"height","width","kind"\n"1","2","a"\n3,4,"b"\n', "ok 2 2 2"
    yield "quoted-separator.csv", b'x,y,kind\n1,2,"a,b"\n3,4,c\n', "ok 2 2 2"
    yield "quoted-newline.csv", b'x,y,kind\n1,2,"a\nb"\n3,4,c\n', "ok 2 2 2"
    yield "quoted-quote.csv", b'x,y,kind\n1,2,"a ""b"""\n3,4,c\n', "ok 2 2 2"
    yield "quoted-crlf.csv", b'x,y,kind\r\n1,2,"a\r\nb"\r\n3,4,c\r\n', "ok 2 2 2"
    yield "header-like-parquet.csv", b"PAR1,BZh,kind\n1,2,a\n3,4,b\n", "ok 2 2 2"
    yield "one-class.csv", b"1,2,a\n3,4,a\n", "ok 2 2 1"
    yield "one-row.csv", b"1,2,3\n", "ok 1 2 1"
    yield "one-column-labels.csv", b"a\nb\n", 65, "--format csv --header no"
    yield "label-by-name.csv", b"kind,x,y\na,1,2\nb,3,4\n", "ok 2 2 2", "--label kind"
    yield "label-by-number.csv", b"kind,x,y\na,1,2\nb,3,4\n", "ok 2 2 2", "--label 1"
    yield "label-none.csv", b"x,y\n1,2\n3,4\n", "ok 2 2 0", "--label none"
    yield "label-empty-quoted.csv", b'x,kind\n1,a\n2,b\n', "ok 2 1 2"
    yield "ignore-by-name.csv", b"id,x,kind\nq1,1,a\nq2,2,b\n", "ok 2 1 2", "--ignore id"
    yield "ignore-by-number.csv", b"id,x,kind\nq1,1,a\nq2,2,b\n", "ok 2 1 2", "--ignore 1"
    yield "ignore-two.csv", b"id,x,y,kind\nq,1,2,a\nr,2,3,b\n", "ok 2 1 2", "--ignore id,y"
    yield "ignore-last.csv", b"x,kind,id\n1,a,7\n2,b,8\n", "ok 2 1 2", "--ignore id"
    yield "categorical-one.csv", b"colour,x,kind\nred,1,a\nblue,2,b\nred,3,a\n", "ok 3 3 2", \
        "--categorical colour"
    yield "categorical-all.csv", b"c,d,kind\nred,u,a\nblue,v,b\nred,v,a\n", "ok 3 4 2", \
        "--categorical all --header yes"
    yield "missing-zero.csv", b"x,y,kind\n1,,a\n?,2,b\nNA,3,a\n", "ok 3 2 2", "--missing zero"
    yield "missing-mean.csv", b"x,y,kind\n1,,a\nnan,2,b\n3,3,a\n", "ok 3 2 2", "--missing mean"
    yield "missing-drop.csv", b"x,y,kind\n1,,a\n2,2,b\n3,3,a\n", "ok 2 2 2", "--missing drop"
    yield "missing-label-drop.csv", b"x,y,kind\n1,1,\n2,2,b\n3,3,a\n", "ok 2 2 2", "--missing drop"
    yield "missing-words.csv", b"x,y,kind\nnull,N/A,a\nNaN,n/a,b\nNULL,1,b\n", "ok 3 2 2", \
        "--missing zero --header yes"
    yield "missing-categorical.csv", b"c,x,kind\nred,1,a\n,2,b\nblue,3,a\n", "ok 3 3 2", \
        "--categorical c --missing zero"
    yield "weights-column.csv", b"x,w,kind\n1,0.5,a\n2,2,b\n", "ok 2 1 2", "--weights w"
    yield "exponents.csv", b"1e3,-2.5E-3,a\n+4,.5,b\n", "ok 2 2 2"
    yield "denormal.csv", b"1e-40,1e-45,a\n1,2,b\n", "ok 2 2 2"
    yield "underflow.csv", b"1e-400,1,a\n1,2,b\n", "ok 2 2 2"
    yield "large-f64.csv", b"1e300,1,a\n1,2,b\n", "ok 2 2 2", "--type f64"
    yield "utf8-names.csv", "größe,x,art\n1,2,ä\n3,4,ö\n".encode(), "ok 2 2 2", "--label art"
    yield "latin1.csv", b"x,y,kind\n1,2,\xe4\n3,4,\xf6\n", "ok 2 2 2"
    yield "number-labels.csv", b"1,2,1\n3,4,1.0\n5,6,+1\n7,8,2\n", "ok 4 2 2"
    yield "label-huge-text.csv", b"1,2," + b"x" * 5000 + b"\n3,4,b\n", "ok 2 2 2"
    yield "very-long-digits.csv", b"1,2,a\n0." + b"3" * 4000 + b",4,b\n", "ok 2 2 2"
    yield "value-4000-digits.csv", b"1,2,a\n" + b"7" * 4000 + b",4,b\n", 65
    yield "long-name.csv", b"x" * 3000 + b",y,kind\n1,2,a\n3,4,b\n", "ok 2 2 2"
    yield "duplicate-columns.csv", b"x,y,z,kind\n1,1,7,a\n2,2,7,b\n", "ok 2 3 2"
    yield "classes-kept.csv", b"1,2,a\n3,4,b\n5,6,c\n", "ok 2 2 2", "--classes a,c"
    yield "many-columns.csv", b",".join(b"%d" % i for i in range(500)) + b",a\n" \
        + b",".join(b"%d" % (i * 2) for i in range(500)) + b",b\n", "ok 2 500 2"


def wrong_files():
    """The file as a whole."""
    yield "empty.csv", b"", 65
    yield "empty-told.csv", b"", 65, "--format csv"
    yield "blank-lines-only.csv", b"\n\n \n", 65
    yield "header-only.csv", HEAD, 65
    yield "header-only-told.csv", HEAD, 65, "--header yes"
    yield "header-only-no-newline.csv", HEAD[:-1], 65
    yield "bom-only.csv", b"\xef\xbb\xbf", 65
    yield "separators-only.csv", b",,\n,,\n", 65
    yield "comment-line.csv", b"# made by hand\n" + GOOD, 65
    yield "nul-first.csv", b"\x00" + GOOD, 65
    yield "nul-within.csv", b"1,2,a\n3,\x004,b\n", 65
    yield "nul-last.csv", GOOD + b"\x00", 65
    yield "utf16.csv", GOOD.decode().encode("utf-16"), 65
    yield "utf16-told.csv", GOOD.decode().encode("utf-16"), 65, "--format csv"
    yield "binary.csv", bytes(range(256)), 65
    yield "carriage-returns-only.csv", GOOD.replace(b"\n", b"\r"), 65
    yield "libsvm-told-csv.csv", b"1 1:1\n-1 1:2\n", 65, "--format csv"
    yield "header-unclear.csv", b"a,b,c\nd,e,f\n", 65
    yield "no-format.dat", b"hello world\n", 65


def wrong_rows():
    """Fields and quotes."""
    yield "ragged-short.csv", b"1,2,a\n3,b\n5,6,a\n", 65
    yield "ragged-long.csv", b"1,2,a\n3,4,b,5\n5,6,a\n", 65
    yield "ragged-header.csv", b"x,kind\n1,2,a\n3,4,b\n", 65
    yield "ragged-trailing-comma.csv", b"1,2,a\n3,4,b,\n", 65
    yield "cut-off.csv", b"1,2,a\n3,4,b\n5,", 65
    yield "cut-off-field.csv", b"1,2,a\n3,4,b\n5", 65
    yield "quote-open.csv", b'1,2,"a\n3,4,b\n5,6,a\n', 65
    yield "quote-open-first.csv", b'"1,2,a\n3,4,b\n', 65
    yield "quote-open-header.csv", b'"x,y,kind\n1,2,a\n', 65
    yield "quote-inside.csv", b'1,2,a"b\n3,4,c\n', 65
    yield "quote-behind.csv", b'1,2,"a"b\n3,4,c\n', 65
    yield "return-inside.csv", b"1,2,a\rb\n3,4,c\n", 65


def wrong_values():
    """Cells that are no numbers."""
    for word in ("inf", "-inf", "Infinity", "1e400", "-1e400"):
        yield f"value-{word}.csv", b"1,2,a\n%s,4,b\n" % word.encode(), 65
    yield "value-1e39.csv", b"1,2,a\n1e39,4,b\n", 65
    yield "value-1e400-f64.csv", b"1,2,a\n1e400,4,b\n", 65, "--type f64"
    for word in ("nan", "NA", "?", "null", ""):
        name = {"?": "question", "": "empty"}.get(word, word)
        yield f"missing-{name}.csv", b"1,2,a\n%s,4,b\n" % word.encode(), 65
    yield "value-text.csv", b"x,y,kind\n1,2,a\nred,4,b\n", 65
    yield "value-text-first.csv", b"red,2,a\n1,4,b\n", 65
    yield "value-hex.csv", b"1,2,a\n0x10,4,b\n", 65
    yield "value-decimal-comma.csv", b'1,2,a\n"1,5",4,b\n', 65
    yield "value-thousands.csv", b'1,2,a\n"1,500",4,b\n', 65
    yield "value-currency.csv", b"1,2,a\n$5,4,b\n", 65
    yield "value-percent.csv", b"1,2,a\n5%,4,b\n", 65
    yield "value-date.csv", b"1,2,a\n2024-01-01,4,b\n", 65
    yield "value-unprintable.csv", b"1,2,a\n\x1b[31m,4,b\n", 65
    yield "value-very-long.csv", b"1,2,a\n" + b"q" * 5000 + b",4,b\n", 65
    yield "text-after-categorical-all.csv", b"c,x,kind\nred,1,a\nblue,z,b\n", "ok 2 4 2", \
        "--categorical all --header yes"
    yield "all-rows-missing.csv", b"x,y,kind\n,1,a\n2,,b\n", 65, "--missing drop"


def wrong_labels():
    """The label, the weights, and columns that are not there."""
    yield "label-empty.csv", b"1,2,a\n3,4,\n", 65
    yield "label-nan.csv", b"1,2,1\n3,4,nan\n", 65
    yield "label-inf.csv", b"1,2,1\n3,4,inf\n", 65
    yield "label-1e400.csv", b"1,2,1\n3,4,1e400\n", 65
    yield "label-huge.csv", b"1,2,a\n3,4," + b"x" * 5000 + b"\n", "ok 2 2 2"
    yield "label-unknown.csv", GOOD, 2, "--label colour"
    yield "label-number-too-large.csv", GOOD, 2, "--label 4"
    yield "label-number-0.csv", GOOD, 2, "--label 0"
    yield "ignore-unknown.csv", GOOD, 2, "--ignore colour"
    yield "ignore-all.csv", GOOD, 65, "--ignore height,width,kind"
    yield "ignore-the-label.csv", GOOD, 2, "--label kind --ignore kind"
    yield "categorical-unknown.csv", GOOD, 2, "--categorical colour"
    yield "categorical-the-label.csv", GOOD, 2, "--categorical kind --label kind"
    yield "duplicate-name.csv", b"x,x,kind\n1,2,a\n3,4,b\n", 2, "--ignore x"
    yield "weights-unknown.csv", GOOD, 66, "--weights importance"
    yield "weights-text.csv", b"x,w,kind\n1,much,a\n2,2,b\n", 65, "--weights w"
    yield "weights-negative.csv", b"x,w,kind\n1,-1,a\n2,2,b\n", 65, "--weights w"
    yield "weights-nan.csv", b"x,w,kind\n1,nan,a\n2,2,b\n", 65, "--weights w"
    yield "weights-all-zero.csv", b"x,w,kind\n1,0,a\n2,0,b\n", 65, "--weights w"
    yield "class-unknown.csv", GOOD, 2, "--classes a,z"


def cases():
    for group in (right, wrong_files, wrong_rows, wrong_values, wrong_labels):
        yield from group()
