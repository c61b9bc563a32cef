"""JSON lines: keys as columns, gaps, values that are no cell, and texts that are no JSON."""

ROWS = b'{"x": 1, "y": 2, "kind": "a"}\n{"x": 3, "y": 4, "kind": "b"}\n'


def line(text):
    """A bad line after a good one."""
    return ROWS + text + b"\n"


def value(text):
    """A bad value in a row that is good otherwise."""
    return line(b'{"x": ' + text + b', "y": 2, "kind": "a"}')


def text(inside):
    """A text as a label."""
    return line(b'{"x": 5, "y": 6, "kind": "' + inside + b'"}')


def right():
    """Tables that are understood."""
    yield "basic.jsonl", ROWS, "ok 2 2 2"
    yield "basic.ndjson", ROWS, "ok 2 2 2"
    yield "no-extension", ROWS, "ok 2 2 2"
    yield "named-csv.csv", ROWS, "ok 2 2 2"
    yield "given.txt", ROWS, "ok 2 2 2", "--format jsonl"
    yield "crlf.jsonl", ROWS.replace(b"\n", b"\r\n"), "ok 2 2 2"
    yield "bom.jsonl", b"\xef\xbb\xbf" + ROWS, "ok 2 2 2"
    yield "no-final-newline.jsonl", ROWS[:-1], "ok 2 2 2"
    yield "blank-lines.jsonl", b"\n \n" + ROWS.replace(b"\n", b"\n\t\n") + b"\n", "ok 2 2 2"
    yield "blanks.jsonl", b' { "x" : 1 , "y" : 2 , "kind" : "a" } \n' + ROWS, "ok 3 2 2"
    yield "no-blanks.jsonl", ROWS.replace(b" ", b""), "ok 2 2 2"
    yield "key-order.jsonl", line(b'{"kind": "a", "y": 1, "x": 2}'), "ok 3 2 2"
    yield "missing-key.jsonl", line(b'{"x": 2, "kind": "a"}'), "ok 3 2 2", "--missing zero"
    yield "null.jsonl", value(b"null"), "ok 3 2 2", "--missing mean"
    yield "nan.jsonl", value(b"NaN"), "ok 3 2 2", "--missing mean"
    yield "late-key.jsonl", line(b'{"z": 1, "x": 1, "y": 1, "kind": "b"}'), "ok 3 3 2", "--missing zero --label kind"
    yield "drop.jsonl", line(b"{}"), "ok 2 2 2", "--missing drop"
    yield "exponents.jsonl", value(b"-1.5E+3"), "ok 3 2 2"
    yield "minus-zero.jsonl", value(b"-0"), "ok 3 2 2"
    yield "number-as-text.jsonl", value(b'"7.5"'), "ok 3 2 2"
    yield "labels-numbers.jsonl", b'{"x": 1, "y": 0}\n{"x": 2, "y": 1}\n', "ok 2 1 2"
    yield "labels-words.jsonl", b'{"x": 1, "y": true}\n{"x": 2, "y": false}\n', "ok 2 1 2"
    yield "escapes.jsonl", text(rb"a\"b\\c\/d\b\f\n\r\t\u00e9\ud83d\ude00"), "ok 3 2 3"
    yield "escaped-key.jsonl", line(rb'{"\u0078": 5, "y": 6, "ki\u006ed": "a"}'), "ok 3 2 2"
    yield "utf8.jsonl", text("ü 漢 😀".encode()), "ok 3 2 3"
    yield "separators-in-text.jsonl", text(b"a,b;c|d'e"), "ok 3 2 3"
    yield "newline-in-text.jsonl", text(rb"a\nb") + ROWS, "ok 5 2 3"
    yield "label-first.jsonl", b'{"kind": "a", "x": 1}\n{"kind": "b", "x": 2}\n', "ok 2 1 2", "--label kind"
    yield "weights.jsonl", b'{"x": 1, "w": 2, "k": "a"}\n{"x": 2, "w": 1, "k": "b"}\n', "ok 2 1 2", "--weights w"
    yield "ignore.jsonl", line(b'{"x": 1, "y": "no", "kind": "a"}'), "ok 3 1 2", "--ignore y"
    yield "categorical.jsonl", line(b'{"x": 1, "y": "no", "kind": "a"}'), "ok 3 4 2", "--categorical y"


def wrong_structure():
    """Lines that are no flat object."""
    yield "list-of-objects.json", b'[{"x": 1, "kind": "a"},\n {"x": 2, "kind": "b"}]\n', 65
    yield "list-line.jsonl", line(b'[1, 2, "a"]'), 65
    yield "list-first.jsonl", b'[1, 2, "a"]\n', 65, "--format jsonl"
    yield "number-line.jsonl", line(b"17"), 65
    yield "text-line.jsonl", line(b'"kind"'), 65
    yield "null-line.jsonl", line(b"null"), 65
    yield "comment-line.jsonl", line(b"# more rows"), 65
    yield "slashes.jsonl", line(b"// more rows"), 65
    yield "csv-line.jsonl", line(b"1,2,a"), 65
    yield "header-line.jsonl", b"x,y,kind\n" + ROWS, 65, "--format jsonl"
    yield "pretty.jsonl", b'{\n  "x": 1,\n  "kind": "a"\n}\n', 65
    yield "pretty-later.jsonl", line(b'{"x": 1,\n "y": 2, "kind": "a"}'), 65
    yield "two-on-a-line.jsonl", line(b'{"x": 1, "y": 2, "kind": "a"} {"x": 1, "y": 2, "kind": "a"}'), 65
    yield "commas-between.jsonl", ROWS.replace(b"}\n", b"},\n"), 65
    yield "semicolon-after.jsonl", line(b'{"x": 1, "y": 2, "kind": "a"};'), 65
    yield "brace-too-many.jsonl", line(b'{"x": 1, "y": 2, "kind": "a"}}'), 65
    yield "sequence-mark.jsonl", line(b'\x1e{"x": 1, "y": 2, "kind": "a"}'), 65, "--format jsonl"
    yield "object-within.jsonl", value(b'{"a": 1}'), 65
    yield "empty-object-within.jsonl", value(b"{}"), 65
    yield "list-within.jsonl", value(b"[1, 2]"), 65
    yield "empty-list-within.jsonl", value(b"[]"), 65
    yield "key-twice.jsonl", line(b'{"x": 1, "y": 2, "x": 3, "kind": "a"}'), 65
    yield "key-twice-escaped.jsonl", line(rb'{"x": 1, "y": 2, "\u0078": 3, "kind": "a"}'), 65
    yield "no-keys.jsonl", b"{}\n{}\n", 65
    yield "one-key.jsonl", b'{"x": 1}\n{"x": 2}\n', 65


def wrong_syntax():
    """Objects with a wrong character."""
    yield "no-colon.jsonl", line(b'{"x" 1, "y": 2, "kind": "a"}'), 65
    yield "equals-sign.jsonl", line(b'{"x" = 1, "y": 2, "kind": "a"}'), 65
    yield "no-comma.jsonl", line(b'{"x": 1 "y": 2, "kind": "a"}'), 65
    yield "comma-twice.jsonl", line(b'{"x": 1,, "y": 2, "kind": "a"}'), 65
    yield "comma-first.jsonl", line(b'{, "x": 1, "y": 2, "kind": "a"}'), 65
    yield "comma-last.jsonl", line(b'{"x": 1, "y": 2, "kind": "a",}'), 65
    yield "semicolon-between.jsonl", line(b'{"x": 1; "y": 2, "kind": "a"}'), 65
    yield "key-bare.jsonl", line(b'{x: 1, "y": 2, "kind": "a"}'), 65
    yield "key-single-quotes.jsonl", line(b"{'x': 1, 'y': 2, 'kind': 'a'}"), 65
    yield "key-number.jsonl", line(b'{1: 1, "y": 2, "kind": "a"}'), 65
    yield "key-open.jsonl", line(b'{"x: 1, \'y\': 2}'), 65
    yield "value-missing.jsonl", value(b""), 65
    yield "value-missing-last.jsonl", line(b'{"x": 1, "y": 2, "kind": }'), 65
    yield "value-single-quotes.jsonl", value(b"'1'"), 65
    yield "value-bare.jsonl", value(b"red"), 65
    yield "truncated-key.jsonl", ROWS + b'{"x": 1, "y', 65
    yield "truncated-colon.jsonl", ROWS + b'{"x": 1, "y"', 65
    yield "truncated-value.jsonl", ROWS + b'{"x": 1, "y":', 65
    yield "truncated-text.jsonl", ROWS + b'{"x": 1, "y": 2, "kind": "a', 65
    yield "truncated-comma.jsonl", ROWS + b'{"x": 1,', 65
    yield "truncated-brace.jsonl", ROWS + b'{"x": 1, "y": 2, "kind": "a"', 65
    yield "truncated-begin.jsonl", ROWS + b"{", 65
    yield "nul-byte.jsonl", line(b'{"x": 1, "y": 2, "kind": "a\0"}'), 65, "--format jsonl"


def wrong_values():
    """Numbers and words that JSON does not have."""
    for name, bad in (("plus", b"+1"), ("leading-zero", b"01"), ("point-first", b".5"), ("point-last", b"5."),
                      ("no-exponent", b"1e"), ("hexadecimal", b"0x10"), ("comma-decimal", b"1,5"),
                      ("underscores", b"1_000"), ("percent", b"5%"), ("two-points", b"1.2.3"),
                      ("minus-alone", b"-"), ("double-minus", b"--1"), ("infinity", b"Infinity"),
                      ("minus-infinity", b"-Infinity"), ("inf", b"inf"), ("python-true", b"True"),
                      ("python-false", b"False"), ("python-none", b"None"), ("undefined", b"undefined"),
                      ("upper-null", b"NULL"), ("na", b"NA"), ("truth", b"truth"), ("nullx", b"nullx"),
                      ("date", b"2024-01-31"), ("parenthesis", b"(1)")):
        yield f"value-{name}.jsonl", value(bad), 65


def wrong_texts():
    """Strings that cannot be decoded."""
    yield "text-tab.jsonl", text(b"a\tb"), 65
    yield "text-newline.jsonl", text(b"a\nb"), 65
    yield "text-quote.jsonl", text(b'a"b'), 65
    yield "escape-unknown.jsonl", text(rb"C:\data"), 65
    yield "escape-x.jsonl", text(rb"\x41"), 65
    yield "escape-quote.jsonl", text(rb"it\'s"), 65
    yield "escape-last.jsonl", text(b"a\\"), 65
    yield "unicode-short.jsonl", text(rb"\u00e"), 65
    yield "unicode-no-digits.jsonl", text(rb"\uzzzz"), 65
    yield "unicode-nul.jsonl", text(rb"\u0000"), 65
    yield "surrogate-alone.jsonl", text(rb"\ud83d"), 65
    yield "surrogate-low-first.jsonl", text(rb"\ude00\ud83d"), 65
    yield "latin1.jsonl", text(b"gr\xfcn"), 65
    yield "utf8-cut.jsonl", text(b"gr\xc3"), 65
    yield "escape-in-key.jsonl", line(rb'{"x\y": 1, "y": 2, "kind": "a"}'), 65


def wrong_cells():
    """Objects that are right, and cells that a strict table refuses: the place is that of the value."""
    yield "cell-text.jsonl", value(b'"red"'), 65
    yield "cell-text-first.jsonl", b'{"x": "red", "y": 2, "kind": "a"}\n' + ROWS, 65
    yield "cell-true.jsonl", value(b"true"), 65
    yield "cell-null.jsonl", value(b"null"), 65
    yield "cell-null-reordered.jsonl", line(b'{"kind": "a", "y": 1, "x": null}'), 65
    yield "cell-missing-key.jsonl", line(b'{"x": 2, "kind": "a"}'), 65
    yield "cell-empty-object.jsonl", line(b"{}"), 65
    yield "cell-after-newline.jsonl", text(rb"a\nb") + b'{"x": 1, "y": null, "kind": "a"}\n', 65
    yield "cell-after-blank.jsonl", b"\n\n" + value(b"null"), 65
    yield "cell-too-large.jsonl", value(b"1e39"), 65
    yield "cell-beyond-double.jsonl", value(b"1e400"), 65
    yield "label-null.jsonl", line(b'{"x": 1, "y": 2, "kind": null}'), 65
    yield "label-missing.jsonl", line(b'{"x": 1, "y": 2}'), 65
    yield "label-empty.jsonl", text(b""), 65
    yield "label-infinite.jsonl", text(b"inf"), 65
    yield "weight-negative.jsonl", line(b'{"x": 1, "y": -2, "kind": "a"}'), 65, "--weights y"
    yield "weight-text.jsonl", line(b'{"x": 1, "y": "two", "kind": "a"}'), 65, "--weights y"
    yield "weight-null.jsonl", line(b'{"x": 1, "y": null, "kind": "a"}'), 65, "--weights y"
    yield "all-dropped.jsonl", b'{"x": null, "y": 1, "kind": "a"}\n', 65, "--missing drop"
    yield "label-unknown.jsonl", ROWS, 2, "--label colour"
    yield "label-case.jsonl", ROWS, 2, "--label Kind"
    yield "no-features.jsonl", ROWS, 65, "--ignore x,y"
    yield "with-sep.jsonl", ROWS, 2, "--sep comma"
    yield "with-header.jsonl", ROWS, 2, "--header yes"
    yield "with-skip.jsonl", ROWS, 2, "--skip 1"
    yield "empty.jsonl", b"", 65
    yield "blank.jsonl", b"\n \n\n", 65


def cases():
    for part in (right, wrong_structure, wrong_syntax, wrong_values, wrong_texts, wrong_cells):
        yield from part()
