"""gzip and zstd: archives that are whole, cut, damaged, joined or followed by something else, and
.tmpr files of which a part is not as it was."""
import bz2
import gzip
import lzma
import subprocess
import zlib

GOOD = b"+1 1:0.5 3:2\n-1 2:1\n+1 1:1 2:1 3:1\n"
TABLE = b"height,width,kind\n1,2,a\n3,4,b\n5,6,a\n"


def gz(data):
    return gzip.compress(data, mtime=0)


def zst(data, *options):
    """By the program zstd: the same bytes for the same version only, so files are made once."""
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def gzip_cases():
    archive = gz(GOOD)
    damaged = bytearray(archive)
    damaged[-6] ^= 1  # in the checksum
    lying = bytearray(archive)
    lying[-2] ^= 1  # in the length
    broken = bytearray(gz(GOOD * 50))
    broken[20] ^= 0xff
    yield "good.svm.gz", archive, "ok 3 3 2"
    yield "no-extension", archive, "ok 3 3 2"
    yield "wrong-extension.csv", archive, "ok 3 3 2"
    yield "table.csv.gz", gz(TABLE), "ok 3 2 2"
    yield "members.svm.gz", gz(GOOD) + gz(b"-1 1:7\n"), "ok 4 3 2"
    yield "members-split-a-line.svm.gz", gz(GOOD[:8]) + gz(GOOD[8:]), "ok 3 3 2"
    yield "member-empty.svm.gz", gz(b"") + gz(GOOD), "ok 3 3 2"
    yield "empty-inside.svm.gz", gz(b""), 65
    yield "cut-header.svm.gz", archive[:5], 65
    yield "cut-header-told.svm.gz", archive[:5], 65, "--format libsvm"
    yield "cut-half.svm.gz", archive[:len(archive) // 2], 65
    yield "cut-checksum.svm.gz", archive[:-8], 65
    yield "cut-length.svm.gz", archive[:-4], 65
    yield "cut-by-1.svm.gz", archive[:-1], 65
    yield "cut-second-member.svm.gz", gz(GOOD) + gz(GOOD)[:20], 65
    yield "garbage-behind.svm.gz", archive + b"garbage", 65
    yield "zeros-behind.svm.gz", archive + bytes(8), "ok 3 3 2"  # padding, as of tapes
    yield "text-behind.svm.gz", archive + b"1 1:1\n", 65
    yield "wrong-checksum.svm.gz", bytes(damaged), 65
    yield "wrong-length.svm.gz", bytes(lying), 65
    yield "damaged.svm.gz", bytes(broken), 65
    yield "method-unknown.svm.gz", archive[:2] + b"\x07" + archive[3:], 65
    yield "named-gz-but-text.svm.gz", GOOD, "ok 3 3 2"
    yield "twice.svm.gz", gz(archive), 65
    yield "zstd-inside.svm.gz", gz(zst(GOOD)), 65
    yield "zlib-not-gzip.svm.gz", zlib.compress(GOOD), 65
    yield "bad-line.svm.gz", gz(b"1 1:1\n-1 1:nan\n"), 65
    yield "cut-rows-fit.svm.gz", gz(GOOD * 4000)[:-30], 65


def zstd_cases():
    archive = zst(GOOD)
    checked = bytearray(archive)
    checked[-1] ^= 1  # in the checksum
    yield "good.svm.zst", archive, "ok 3 3 2"
    yield "no-extension", archive, "ok 3 3 2"
    yield "table.csv.zst", zst(TABLE), "ok 3 2 2"
    yield "frames.svm.zst", archive + zst(b"-1 1:7\n"), "ok 4 3 2"
    yield "skippable-frame.svm.zst", b"\x50\x2a\x4d\x18\x04\x00\x00\x00note" + archive, "ok 3 3 2"
    yield "no-checksum.svm.zst", zst(GOOD, "--no-check"), "ok 3 3 2"
    yield "empty-inside.svm.zst", zst(b""), 65
    yield "cut-header.svm.zst", archive[:5], 65
    yield "cut-half.svm.zst", archive[:len(archive) // 2], 65
    yield "cut-by-1.svm.zst", archive[:-1], 65
    yield "cut-second-frame.svm.zst", archive + archive[:10], 65
    yield "garbage-behind.svm.zst", archive + b"garbage", 65
    yield "wrong-checksum.svm.zst", bytes(checked), 65
    yield "damaged.svm.zst", archive[:6] + b"\xff\xff\xff" + archive[9:], 65
    yield "named-zst-but-text.svm.zst", GOOD, "ok 3 3 2"
    yield "window-huge.svm.zst", b"\x28\xb5\x2f\xfd\x00\xff" + bytes(20), 65
    yield "length-lies.svm.zst", b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + bytes(12), 65
    yield "bad-line.svm.zst", zst(b"1 1:1\n-1 1:nan\n"), 65


def flipped(data, at, bit=0):
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def tmpr_cases(sparse, dense):
    """The two files are made by the command itself."""
    yield "sparse.tmpr", sparse, "ok 3 3 2"
    yield "dense.tmpr", dense, "ok 3 2 2"
    yield "no-extension", dense, "ok 3 2 2"
    yield "packed.tmpr.gz", gz(dense), "ok 3 2 2"
    yield "classes-kept.tmpr", dense, "ok 2 2 1", "--classes a"
    yield "class-weight.tmpr", sparse, "ok 3 3 2", "--class-weight balanced"
    yield "empty.tmpr", b"", 65
    yield "empty-told.tmpr", b"", 65, "--format tmpr"
    yield "magic-only.tmpr", sparse[:8], 65
    yield "mangled-as-text.tmpr", sparse.replace(b"\r\n", b"\n"), 65
    yield "text.tmpr", GOOD, 65, "--format tmpr"
    yield "zeros.tmpr", bytes(512), 65
    yield "version-9.tmpr", sparse[:8] + b"\x09" + sparse[9:], 65
    yield "long-by-1.tmpr", sparse + b"\x00", 65
    yield "twice.tmpr", sparse + sparse, 65
    yield "header-only.tmpr", dense[:256], 65
    yield "header-then-zeros.tmpr", dense[:256] + bytes(len(dense) - 256), 65
    yield "packed-cut.tmpr.gz", gz(dense)[:-20], 65
    for at in (9, 60, 130, 255, 256, 300):
        yield f"cut-at-{at}.tmpr", sparse[:at], 65
    yield "cut-by-1.tmpr", dense[:-1], 65
    for at in range(0, 256, 16):
        yield f"header-byte-{at:03}.tmpr", flipped(dense, at, at % 8), 65
    for at in range(256, len(sparse), max(1, (len(sparse) - 256) // 20)):
        yield f"bulk-byte-{at:03}.tmpr", flipped(sparse, at, at % 8), 65


def foreign_cases():
    """What people have at hand too, and what a failed download leaves; whatever the name says."""
    yield "arrays.npz", b"PK\x03\x04" + bytes(60), 65
    yield "sheet.xlsx", b"PK\x03\x04\x14\x00\x06\x00" + bytes(60), 65
    yield "sheet-called.csv", b"PK\x03\x04\x14\x00\x06\x00" + bytes(60), 65
    yield "sheet.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(60), 65
    yield "table.parquet", b"PAR1" + bytes(60) + b"PAR1", 65
    yield "table.h5", b"\x89HDF\r\n\x1a\n" + bytes(60), 65
    yield "table.arrow", b"ARROW1\x00\x00" + bytes(60), 65
    yield "table.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90), 65
    yield "table.sqlite", b"SQLite format 3\x00" + bytes(84), 65
    yield "array.pkl", b"\x80\x04\x95\x10\x00\x00\x00" + bytes(60), 65
    yield "paper.pdf", b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n", 65
    yield "data.svm.bz2", bz2.compress(GOOD), 65
    yield "data.svm.xz", lzma.compress(GOOD), 65
    yield "page.csv", b"<!DOCTYPE html>\n<html><body>404, not found</body></html>\n", 65
    yield "page-short.svm", b"<html><body>404</body></html>\n", 65
    yield "page-told.csv", b"\n<HTML><body>404</body></html>\n", 65, "--format csv"
    yield "sheet-told.csv", b"PK\x03\x04\x14\x00\x06\x00" + bytes(60), 65, "--format csv"
    for name, first in (("sheet-real.xlsx", b"[Content_Types].xml"), ("arrays-real.npz", b"arr_0.npy")):
        yield name, b"PK\x03\x04\x14\x00\x06\x00" + bytes(22) + first + bytes(9), 65
    yield "table.feather", b"FEA1" + bytes(60), 65
    yield "table.orc", b"ORC" + bytes(60), 65
    yield "table.avro", b"Obj\x01" + bytes(60), 65
    yield "table.rdata", gz(b"RDX3\nX\n" + bytes(60)), 65
    yield "table.rds", gz(b"X\n" + bytes(60)), 65
    yield "table.arff", b"@RELATION iris\n@ATTRIBUTE x NUMERIC\n@DATA\n1,2\n", 65
    yield "batch.pkl", b"\x80\x02}q\x01" + bytes(60), 65
    yield "cifar.tar.gz", gz(b"data_batch_1.bin" + bytes(241) + b"ustar  \0" + bytes(247)), 65
    yield "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(60), 65
    yield "picture.jpg", b"\xff\xd8\xff\xe0" + bytes(60), 65
    yield "picture.gif", b"GIF89a" + bytes(60), 65
    yield "utf16.svm", "1 1:1\n".encode("utf-16"), 65
    yield "lines.json", b'\n {"x": 1, "y": 2}\n{"x": 3, "y": 4}\n', "ok 2 1 2"
    yield "list.json", b"[\n  [1, 2],\n  [3, 4]\n]\n", 65
    yield "json-called.csv", b'\xef\xbb\xbf[{"x": 1}]\n', 65
    yield "brackets.csv", b"[x],[y],[kind]\n1,2,a\n3,4,b\n", "ok 2 2 2"
    yield "named-like-magic.csv", b"PAR1,GIF8,kind\n1,2,a\n3,4,b\n", "ok 2 2 2"
    yield "named-like-magic-control.csv", b"ORC,x,kind\n" + b"1,2,a\n" * 30 + b"3,4,\x01b\n", \
        "ok 31 2 2"
    yield "list-told.csv", b"[1],[2],[a]\n3,4,b\n", "ok 1 2 1", "--format csv --header yes"
    yield "data.json", b'{"rows": [[1, 2], [3, 4]]}\n', 65
    yield "data.xml", b"<?xml version='1.0'?>\n<data/>\n", 65
    yield "blank", b"\n  \n\t\n", 65
    yield "blanks-between.txt", b"1.5 2 0\n3 4 1\n", 65
    yield "blanks-between-told.txt", b"1.5 2 0\n3 4 1\n", 65, "--format csv --header no"
    yield "blanks-aligned.dat", b"   x      y   class\n  -0.500  4.1 1\n", 65
    yield "bars-between.csv", b"x|y|kind\n1|2|a\n3|4|b\n", 65
    yield "decimal-commas.csv", b"1,5;2,5;a\n3,0;4,1;b\n", 65
    yield "decimal-commas-header.csv", b"x;y;kind\r\n1;2,5;a\r\n3,0;4,1;b\r\n", 65
    yield "decimal-commas.tsv", b"1,5\t-2,5\n3,0\t4,1\n", 65
    yield "semicolons.csv", b"x;y;kind\n1.5;2;a,b\n3;4;c\n", "ok 2 2 2"
    yield "words.txt", b"It was a dark and stormy night\nand so on\n", 65
