"""How the package is built: what is missing is answered in one line, and what is fetched is checked."""
import contextlib
import gzip
import importlib.util
import io
import tarfile
import types

import numpy as np
import pytest
from conftest import ROOT

import temperlr

pytest.importorskip("scikit_build_core", reason="the build backend is scikit-build-core's")


@pytest.fixture
def backend(monkeypatch, tmp_path):
    """The build backend of pyproject.toml, without its files."""
    spec = importlib.util.spec_from_file_location("temperlr_build", ROOT / "python/packaging/temperlr_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "XXHASH", tmp_path / "xxhash")
    return module


@contextlib.contextmanager
def one_line(pattern):
    with pytest.raises(SystemExit, match=pattern) as refused:
        yield
    assert "\n" not in str(refused.value)


def test_a_missing_compiler_is_one_line(backend, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with one_line("there is no C compiler; install one: apt install gcc"):
        backend.get_requires_for_build_wheel()
    monkeypatch.setenv("CC", "nothing-like-it -O2")
    with one_line("CC is 'nothing-like-it', which is not there"):
        backend.build_wheel(str(tmp_path))


def test_windows_is_built_by_gcc(backend, monkeypatch):
    environ = {}
    monkeypatch.setattr(backend, "os", types.SimpleNamespace(name="nt", environ=environ))
    monkeypatch.setattr(backend.shutil, "which", lambda name: "gcc.exe" if name == "gcc" else None)
    backend._require_compiler()
    assert environ == {"CC": "gcc", "CMAKE_GENERATOR": "Ninja"}
    monkeypatch.setattr(backend.shutil, "which", lambda name: None)
    with one_line("CC is 'gcc', which is not there; .* MinGW-w64 .Windows"):
        backend._require_compiler()


def test_missing_headers_of_python_are_one_line(backend, monkeypatch, tmp_path):
    monkeypatch.setattr(backend.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    with one_line("Python.h of Python 3.* is missing; install python3-dev"):
        backend._require_python_headers()


class Index:
    """A package index that has one file, wherever it is asked."""

    def __init__(self, content):
        self.content, self.asked = content, []

    def __call__(self, request, timeout):
        address = getattr(request, "full_url", request)
        self.asked.append(address)
        page = b'<a href="../../files/xxhash-4.1.0.tar.gz#sha256=0">xxhash-4.1.0.tar.gz</a>'
        return contextlib.closing(io.BytesIO(self.content if address.endswith(".gz") else page))


def archive(names):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for name in names:
            member = tarfile.TarInfo(f"xxhash-4.1.0/deps/xxhash/{name}")
            member.size = len(name)
            file.addfile(member, io.BytesIO(name.encode()))
    return packed.getvalue()


def test_the_header_of_xxhash_is_taken_from_the_index(backend, monkeypatch):
    content = archive(["xxhash.h", "LICENSE", "xxhash.c"])
    index = Index(content)
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple/")
    monkeypatch.setattr(backend.urllib.request, "urlopen", index)
    monkeypatch.setattr(backend, "SHA256", backend.hashlib.sha256(content).hexdigest())
    backend.fetch_header()
    assert index.asked == ["https://example.org/simple/xxhash/", "https://example.org/files/xxhash-4.1.0.tar.gz"]
    assert sorted(path.name for path in backend.XXHASH.iterdir()) == ["LICENSE", "xxhash.h"]
    assert (backend.XXHASH / "xxhash.h").read_text() == "xxhash.h"


def test_another_archive_is_refused(backend, monkeypatch):
    monkeypatch.setattr(backend.urllib.request, "urlopen", Index(archive(["xxhash.h", "LICENSE"])))
    with one_line("install libxxhash-dev .* is not the file that was pinned"):
        backend.fetch_header()
    assert not backend.XXHASH.exists()


def test_packed_models_are_left_to_the_command(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    temperlr.save(temperlr.TemperedLogisticRegression(calibrate="none").fit(X, [0, 1, 0, 1]), tmp_path / "model")
    (tmp_path / "model.gz").write_bytes(gzip.compress((tmp_path / "model").read_bytes()))
    with pytest.raises(ValueError, match="does not unpack gzip; unpack it first: gzip -d"):
        temperlr.load(tmp_path / "model.gz")
