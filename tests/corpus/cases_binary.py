"""NPY, IDX and CIFAR: headers that lie, lengths that do not fit, numbers that are none."""
import gzip
import struct

NAN, INF = float("nan"), float("inf")


# ---- NPY ------------------------------------------------------------------------------------------

def npy(descr, shape, data, order="False", version=(1, 0), header=None):
    """A file as numpy.save writes it; header replaces the dictionary."""
    text = header if header is not None else \
        "{'descr': %r, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    size = 2 if version[0] == 1 else 4
    text += " " * (-(6 + 2 + size + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if size == 2 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text.encode() + data


def floats(*values, kind="<f"):
    return struct.pack(kind[0] + str(len(values)) + kind[1:], *values)


SIX = floats(1, 2, 3, 4, 5, 6)
F4 = npy("<f4", "(3, 2)", SIX)


def npy_right():
    yield "f4.npy", F4, "ok 3 2 0"
    yield "f8.npy", npy("<f8", "(3, 2)", floats(1, 2, 3, 4, 5, 6, kind="<d")), "ok 3 2 0"
    yield "big-endian-f4.npy", npy(">f4", "(3, 2)", floats(1, 2, 3, 4, 5, 6, kind=">f")), "ok 3 2 0"
    yield "u1.npy", npy("|u1", "(3, 2)", bytes(range(6))), "ok 3 2 0"
    yield "i1.npy", npy("|i1", "(3, 2)", bytes([1, 255, 3, 128, 127, 0])), "ok 3 2 0"
    for kind, letter in (("i2", "h"), ("i4", "i"), ("i8", "q"), ("u2", "H"), ("u4", "I"), ("u8", "Q")):
        yield f"{kind}.npy", npy("<" + kind, "(3, 2)", floats(1, 2, 3, 4, 5, 6, kind="<" + letter)), \
            "ok 3 2 0"
    yield "bool.npy", npy("|b1", "(3, 2)", bytes([0, 1, 1, 0, 1, 1])), "ok 3 2 0"
    yield "fortran.npy", npy("<f4", "(3, 2)", SIX, order="True"), "ok 3 2 0"
    yield "version-2.npy", npy("<f4", "(3, 2)", SIX, version=(2, 0)), "ok 3 2 0"
    yield "version-3.npy", npy("<f4", "(3, 2)", SIX, version=(3, 0)), "ok 3 2 0"
    yield "one-dimension.npy", npy("<f4", "(6,)", SIX), "ok 6 1 0"
    yield "three-dimensions.npy", npy("<f4", "(3, 2, 1)", SIX), 65
    yield "denormal.npy", npy("<f4", "(3, 2)", floats(1e-45, -0.0, 3, 4, 5, 6)), "ok 3 2 0"
    yield "no-extension", F4, "ok 3 2 0"
    yield "with-labels.npy", F4, "ok 3 2 2", "--labels npy/labels.txt"
    yield "labels-beside.npy", F4, "ok 3 2 2"
    yield "labels-beside-left.npy", F4, "ok 3 2 0", "--label none"
    yield "labels-beside-other.npy", F4, "ok 3 2 2", "--labels npy/labels.txt"
    yield "labels-beside-packed.npy", F4, "ok 3 2 2"
    yield "with-labels-npy.npy", F4, "ok 3 2 2", "--labels npy/labels-i8.npy"
    yield "keys-in-another-order.npy", npy(0, 0, SIX, header="{'shape': (3, 2), 'fortran_order': False, "
                                           "'descr': '<f4'}"), "ok 3 2 0"
    yield "double-quotes.npy", npy(0, 0, SIX, header='{"descr": "<f4", "fortran_order": False, '
                                   '"shape": (3, 2)}'), "ok 3 2 0"


def npy_wrong():
    yield "empty.npy", b"", 65
    yield "empty-told.npy", b"", 65, "--format npy"
    yield "magic-only.npy", F4[:6], 65
    yield "cut-version.npy", F4[:7], 65
    yield "cut-header-length.npy", F4[:9], 65
    yield "cut-header.npy", F4[:40], 65
    yield "wrong-magic.npy", b"\x93NUMPX" + F4[6:], 65, "--format npy"
    yield "version-9.npy", npy("<f4", "(3, 2)", SIX, version=(9, 0)), 65
    yield "short-by-1.npy", F4[:-1], 65
    yield "short-by-a-row.npy", F4[:-8], 65
    yield "no-data.npy", npy("<f4", "(3, 2)", b""), 65
    yield "long-by-1.npy", F4 + b"\x00", 65
    yield "long-by-a-row.npy", F4 + bytes(8), 65
    yield "object.npy", npy("|O", "(3, 2)", b"\x80\x03]q\x00."), 65
    yield "text.npy", npy("<U3", "(3, 2)", bytes(72)), 65
    yield "bytes.npy", npy("|S3", "(3, 2)", bytes(18)), 65
    yield "complex.npy", npy("<c8", "(3, 2)", bytes(48)), 65
    yield "half.npy", npy("<f2", "(3, 2)", bytes(12)), 65
    yield "date.npy", npy("<M8[ns]", "(3, 2)", bytes(48)), 65
    yield "structured.npy", npy(0, 0, bytes(24), header="{'descr': [('a', '<f4'), ('b', '<f4')], "
                                "'fortran_order': False, 'shape': (3,), }"), 65
    yield "nan.npy", npy("<f4", "(3, 2)", floats(1, 2, NAN, 4, 5, 6)), 65
    yield "inf.npy", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, 5, INF)), 65
    yield "minus-inf-f8.npy", npy("<f8", "(3, 2)", floats(-INF, 2, 3, 4, 5, 6, kind="<d")), 65
    yield "nan-fortran.npy", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, 5, NAN), order="True"), 65
    yield "i8-too-large.npy", npy("<i8", "(3, 2)", floats(1, 2, 3, 4, 5, 2**62 + 1, kind="<q")), 65
    yield "bool-of-2.npy", npy("|b1", "(3, 2)", bytes([0, 1, 2, 0, 1, 1])), 65
    yield "scalar.npy", npy("<f4", "()", floats(1)), 65
    yield "no-rows.npy", npy("<f4", "(0, 2)", b""), 65
    yield "no-columns.npy", npy("<f4", "(3, 0)", b""), 65
    yield "shape-negative.npy", npy("<f4", "(-3, 2)", SIX), 65
    yield "shape-too-large.npy", npy("<f4", "(4611686018427387904, 8)", SIX), 65
    yield "shape-beyond-64-bits.npy", npy("<f4", "(99999999999999999999999, 2)", SIX), 65
    yield "shape-1e12.npy", npy("<f4", "(1000000000000, 2)", SIX), 65
    yield "shape-text.npy", npy("<f4", "(three, 2)", SIX), 65
    yield "shape-missing.npy", npy(0, 0, SIX, header="{'descr': '<f4', 'fortran_order': False}"), 65
    yield "descr-missing.npy", npy(0, 0, SIX, header="{'fortran_order': False, 'shape': (3, 2)}"), 65
    yield "order-missing.npy", npy(0, 0, SIX, header="{'descr': '<f4', 'shape': (3, 2)}"), 65
    yield "order-maybe.npy", npy("<f4", "(3, 2)", SIX, order="Maybe"), 65
    yield "key-twice.npy", npy(0, 0, SIX, header="{'descr': '<f4', 'descr': '<f8', 'fortran_order': "
                               "False, 'shape': (3, 2)}"), 65
    yield "key-unknown.npy", npy(0, 0, SIX, header="{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (3, 2), 'evil': 1}"), 65
    yield "no-dictionary.npy", npy(0, 0, SIX, header="hello"), 65
    yield "dictionary-open.npy", npy(0, 0, SIX, header="{'descr': '<f4', 'fortran_order': False, "
                                     "'shape': (3, 2)"), 65
    yield "descr-nonsense.npy", npy("<q9", "(3, 2)", SIX), 65
    yield "npz.npz", b"PK\x03\x04" + bytes(60), 65
    yield "labels-too-few.npy", F4, 65, "--labels npy/labels-short.txt"
    yield "labels-too-many.npy", F4, 65, "--labels npy/labels-long.txt"
    yield "labels-empty-file.npy", F4, 65, "--labels npy/empty.npy"
    yield "labels-beside-short.npy", F4, 65
    yield "labels-beside-blank.npy", F4, 65
    yield "labels-of-excel.npy", F4, 65, "--labels npy/labels.xlsx"
    yield "labels-missing-file.npy", F4, 66, "--labels npy/nowhere.txt"
    yield "labels-nan.npy", F4, 65, "--labels npy/labels-nan.txt"
    yield "labels-blank-line.npy", F4, 65, "--labels npy/labels-blank.txt"
    yield "labels-directory.npy", F4, 74, "--labels npy"
    yield "weights-file.npy", F4, "ok 3 2 0", "--weights npy/weights.txt"
    yield "weights-too-few.npy", F4, 65, "--weights npy/weights-short.txt"
    yield "weights-negative.npy", F4, 65, "--weights npy/weights-negative.txt"
    yield "weights-text.npy", F4, 65, "--weights npy/labels.txt"
    yield "classes-without-labels.npy", F4, 2, "--classes a"


def npy_beside():
    """Files that options name; no cases of their own."""
    yield "labels.txt", b"a\nb\na\n"
    yield "labels-beside.npy.labels", b"a\nb\na\n"
    yield "labels-beside-left.npy.labels", b"a\nb\na\n"
    yield "labels-beside-other.npy.labels", b"a\n"
    yield "labels-beside-packed.npy.labels.gz", gzip.compress(b"a\nb\na\n", mtime=0)
    yield "labels-beside-short.npy.labels", b"a\nb\n"
    yield "labels-beside-blank.npy.labels", b"a\n\na\n"
    yield "labels.xlsx", b"PK\x03\x04\x14\x00\x06\x00" + bytes(60)
    yield "labels-i8.npy", npy("<i8", "(3,)", floats(4, 2, 4, kind="<q"))
    yield "labels-short.txt", b"a\nb\n"
    yield "labels-long.txt", b"a\nb\na\nb\n"
    yield "labels-nan.txt", b"a\nnan\na\n"
    yield "labels-blank.txt", b"a\n\na\n"
    yield "weights.txt", b"1\n0.5\n2\n"
    yield "weights-short.txt", b"1\n0.5\n"
    yield "weights-negative.txt", b"1\n-0.5\n2\n"


# ---- IDX ------------------------------------------------------------------------------------------

def idx(code, sizes, data):
    return bytes([0, 0, code, len(sizes)]) + b"".join(struct.pack(">I", n) for n in sizes) + data


IMAGES = idx(8, (3, 2, 2), bytes(range(12)))
LABELS = idx(8, (3,), bytes([7, 2, 7]))


def idx_right():
    yield "good-images-idx3-ubyte", IMAGES, "ok 3 4 2"
    yield "alone.idx", IMAGES, "ok 3 4 0"
    yield "no-extension", IMAGES, "ok 3 4 0"
    yield "labels-beside.idx", IMAGES, "ok 3 4 2"
    yield "labels-by-option.idx", IMAGES, "ok 3 4 2", "--labels idx/good-labels-idx1-ubyte"
    yield "labels-as-text.idx", IMAGES, "ok 3 4 2", "--labels npy/labels.txt"
    yield "two-dimensions.idx", idx(8, (3, 2), bytes(6)), "ok 3 2 0"
    yield "one-dimension.idx", idx(8, (3,), bytes(3)), "ok 3 1 0"
    yield "i1.idx", idx(9, (3, 2), bytes([255, 1, 128, 0, 1, 2])), "ok 3 2 0"
    yield "i2.idx", idx(11, (3, 2), struct.pack(">6h", 1, -2, 3, 4, 5, 6)), "ok 3 2 0"
    yield "i4.idx", idx(12, (3, 2), struct.pack(">6i", 1, -2, 3, 4, 5, 6)), "ok 3 2 0"
    yield "f4.idx", idx(13, (3, 2), struct.pack(">6f", 1, -2, 3, 4, 5, 6)), "ok 3 2 0"
    yield "f8.idx", idx(14, (3, 2), struct.pack(">6d", 1, -2, 3, 4, 5, 6)), "ok 3 2 0"
    yield "classes-images-idx3-ubyte", IMAGES, "ok 2 4 1", "--classes 7"


def idx_wrong():
    yield "empty.idx", b"", 65
    yield "empty-told.idx", b"", 65, "--format idx"
    yield "cut-magic.idx", IMAGES[:3], 65
    yield "cut-sizes.idx", IMAGES[:10], 65
    yield "no-data.idx", IMAGES[:16], 65
    yield "short-by-1.idx", IMAGES[:-1], 65
    yield "short-by-a-row.idx", IMAGES[:-4], 65
    yield "long-by-1.idx", IMAGES + b"\x00", 65
    yield "long-by-a-row.idx", IMAGES + bytes(4), 65
    yield "count-too-large.idx", idx(8, (1000, 2, 2), bytes(12)), 65
    yield "count-4e9.idx", idx(8, (2**32 - 1, 2**32 - 1), bytes(12)), 65
    yield "count-overflow.idx", idx(8, (2**32 - 1, 2**32 - 1, 2**32 - 1), bytes(12)), 65
    yield "count-0.idx", idx(8, (0, 2, 2), b""), 65
    yield "columns-0.idx", idx(8, (3, 0), b""), 65
    yield "no-dimensions.idx", bytes([0, 0, 8, 0]), 65
    yield "type-unknown.idx", idx(10, (3, 2), bytes(6)), 65
    yield "magic-not-0.idx", b"\x01" + IMAGES[1:], 65
    yield "byte-order.idx", IMAGES[:4] + struct.pack("<3I", 3, 2, 2) + IMAGES[16:], 65
    yield "nan.idx", idx(13, (3, 2), struct.pack(">6f", 1, 2, NAN, 4, 5, 6)), 65
    yield "inf.idx", idx(14, (3, 2), struct.pack(">6d", 1, 2, 3, 4, 5, INF)), 65
    yield "fewer-images-idx3-ubyte", IMAGES, 65
    yield "more-images-idx3-ubyte", IMAGES, 65
    yield "cut-images-idx3-ubyte", IMAGES, 65
    yield "empty-images-idx3-ubyte", IMAGES, 65
    yield "flat-images-idx3-ubyte", IMAGES, 65
    yield "labels-too-few.idx", IMAGES, 65, "--labels idx/fewer-labels-idx1-ubyte"


def idx_beside():
    """Label files that lie beside the images."""
    yield "labels-beside.idx.labels", b"a\nb\na\n"
    yield "good-labels-idx1-ubyte", LABELS
    yield "classes-labels-idx1-ubyte", LABELS
    yield "fewer-labels-idx1-ubyte", idx(8, (2,), bytes([7, 2]))
    yield "more-labels-idx1-ubyte", idx(8, (4,), bytes([7, 2, 7, 2]))
    yield "cut-labels-idx1-ubyte", LABELS[:-1]
    yield "empty-labels-idx1-ubyte", b""
    yield "flat-labels-idx1-ubyte", idx(8, (3, 2), bytes(6))


# ---- CIFAR ------------------------------------------------------------------------------------------

def record(label, colours=(1, 2, 3)):
    return bytes([label]) + b"".join(bytes([c]) * 1024 for c in colours)


TWO = record(6) + record(8, (9, 8, 7))


def cifar_right():
    yield "two.bin", TWO, "ok 2 3072 2"
    yield "one.bin", record(0), "ok 1 3072 1"
    yield "told.dat", TWO, "ok 2 3072 2", "--format cifar"
    for channel in ("red", "green", "blue", "grey"):
        yield f"{channel}.bin", TWO, "ok 2 1024 2", f"--channel {channel}"
    yield "all.bin", TWO, "ok 2 3072 2", "--channel all"
    yield "kept.bin", TWO, "ok 1 3072 1", "--classes 8"


def cifar_wrong():
    yield "empty.bin", b"", 65
    yield "empty-told.bin", b"", 65, "--format cifar"
    yield "odd-short.bin", TWO[:-1], 65
    yield "odd-long.bin", TWO + b"\x01", 65
    yield "odd-half.bin", TWO[:4000], 65
    yield "label-only.bin", b"\x06", 65
    yield "label-10.bin", record(6) + record(10), 65
    yield "label-255.bin", record(255), 65
    yield "cifar100.bin", (b"\x05" + record(55)) * 2, 65
    yield "text.bin", b"hello, world\n" * 10, 65, "--format cifar"
    yield "unknown-class.bin", TWO, 2, "--classes 3"


def npy_cases():
    yield from npy_right()
    yield from npy_wrong()


def idx_cases():
    yield from idx_right()
    yield from idx_wrong()


def cifar_cases():
    yield from cifar_right()
    yield from cifar_wrong()
