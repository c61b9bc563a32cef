"""The build backend: scikit-build-core, preceded by what it leaves to the user.

The extension is compiled with the header of xxHash, and with nothing else that Python and a compiler do not bring. The
header is taken from the source archive of the package `xxhash` on PyPI, pinned and checked by its hash, unless it is
there already: in third_party (a source archive of temperlr has it), or on the system. What is missing is
answered in one line, where CMake would write a page."""
from __future__ import annotations

import hashlib
import io
import os
import pathlib
import re
import shutil
import sys
import sysconfig
import tarfile
import urllib.parse
import urllib.request
from typing import Any

from scikit_build_core import build as backend

ROOT = pathlib.Path(__file__).resolve().parents[2]
XXHASH = ROOT / "third_party/xxhash"
# xxHash 0.8.4, in the source archive of the package that wraps it.
ARCHIVE = "xxhash-4.1.0.tar.gz"
SHA256 = "c9b288e4c1f5dae54417bc8a05e6f6daf505783d916b4783f4dd2f2e7d5db486"
WANTED = ("xxhash.h", "LICENSE")
COMPILERS = ("gcc", "clang") if os.name == "nt" else ("cc", "gcc", "clang")

Settings = dict[str, Any] | None


# ---- xxHash ------------------------------------------------------------------------------------------


def have_header() -> bool:
    return all((XXHASH / name).exists() for name in WANTED)


def _system_header() -> bool:
    return any((pathlib.Path(folder) / "xxhash.h").exists()
               for folder in ("/usr/include", "/usr/local/include", "/opt/homebrew/include"))


def _archive() -> bytes:
    """The source archive, by an index's page (PEP 503): PyPI's, or the one that pip is configured to use."""
    page = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/xxhash/"
    request = urllib.request.Request(page, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        found = re.search(rf'href="([^"]*/{re.escape(ARCHIVE)})[#"]', reply.read().decode())
    if not found:
        raise OSError(f"{page} does not list {ARCHIVE}")
    with urllib.request.urlopen(urllib.parse.urljoin(page, found[1]), timeout=60) as reply:
        content: bytes = reply.read()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise OSError(f"{ARCHIVE} is not the file that was pinned")
    return content


def fetch_header() -> None:
    print(f"temperlr: fetching xxhash.h from {ARCHIVE}", flush=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(_archive())) as archive:
            XXHASH.mkdir(parents=True, exist_ok=True)
            for name in WANTED:
                content = archive.extractfile(f"{ARCHIVE.removesuffix('.tar.gz')}/deps/xxhash/{name}")
                assert content is not None
                (XXHASH / name).write_bytes(content.read())
    except (OSError, KeyError) as error:
        _refuse("xxhash.h is missing; install libxxhash-dev (Debian, Ubuntu), xxhash-devel (Fedora) or xxhash (Homebrew), "
                f"or give the network: {error}")


# ---- What a user has to install ----------------------------------------------------------------------


def _refuse(what: str) -> None:
    raise SystemExit(f"temperlr: {what}")


def _require_compiler() -> None:
    asked = os.environ.get("CC", "").split()
    found = next(filter(shutil.which, asked[:1] or COMPILERS), None)
    if not found:
        missing = f"CC is {asked[0]!r}, which is not there" if asked else "there is no C compiler"
        _refuse(f"{missing}; install one: apt install gcc (Debian, Ubuntu), dnf install gcc (Fedora), xcode-select "
                "--install (macOS), gcc of MinGW-w64 (Windows; Visual C is not supported)")
    elif os.name == "nt":  # where CMake would take Visual C
        os.environ.setdefault("CC", found)
        os.environ.setdefault("CMAKE_GENERATOR", "Ninja")


def _require_python_headers() -> None:
    if not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        _refuse(f"Python.h of Python {sys.version_info[0]}.{sys.version_info[1]} is missing; install python3-dev "
                "(Debian, Ubuntu) or python3-devel (Fedora)")


# ---- PEP 517 -----------------------------------------------------------------------------------------


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    _require_compiler()
    _require_python_headers()
    return backend.get_requires_for_build_wheel(config_settings)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """With xxHash, so that building from it needs no network."""
    if not have_header():
        fetch_header()
    return backend.build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    _require_compiler()
    _require_python_headers()
    if not have_header() and not _system_header():
        fetch_header()
    return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


get_requires_for_build_sdist = backend.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = backend.prepare_metadata_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel
build_editable = backend.build_editable
