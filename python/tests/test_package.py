"""The package as a whole: examples run, types fit, doctests hold, nothing is missing."""
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import temperlr

# test_torch.py and test_jax.py have those that need other packages.
MODULES = ["temperlr"] + [f"temperlr.{m.name}" for m in pkgutil.iter_modules(temperlr.__path__)
                          if m.name not in ("torch", "jax")]
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name), verbose=False)
    assert result.failed == 0


def test_there_are_doctests():
    tried = sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES)
    assert tried > 30


def test_all_names_are_there_and_documented():
    for name in temperlr.__all__:
        assert getattr(temperlr, name) is not None
        assert name == "__version__" or getattr(temperlr, name).__doc__


def test_every_name_is_on_the_page():
    page = (ROOT / "docs/python-api.md").read_text()
    names = [*temperlr.__all__, *temperlr.linear_model.__all__, *temperlr.plots.__all__, *temperlr.shards.__all__,
             *temperlr.engines.__all__, *temperlr.communicator.__all__]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_docstrings_have_every_parameter():
    """Of functions and constructors, in the form that the reference of the site reads."""
    checked = 0
    linear = [getattr(temperlr.linear_model, name) for name in temperlr.linear_model.__all__]
    for thing in [*(getattr(temperlr, name) for name in temperlr.__all__), *linear]:
        estimator = inspect.isclass(thing) and issubclass(thing, temperlr._base.TemperedClassifier)
        if not inspect.isfunction(thing) and not estimator:
            continue
        missing = [name for name in inspect.signature(thing).parameters
                   if not re.search(rf"\b{name}\b", thing.__doc__)]
        assert missing == [] and "Parameters\n" in thing.__doc__, (thing.__name__, missing)
        checked += 1
    assert checked > 14


def public_callables():
    """(name, annotations) of all functions, methods, properties and fields that users see."""
    for module in (temperlr, temperlr.linear_model, temperlr.plots, temperlr.shards, temperlr.engines, temperlr.communicator):
        space = module.__name__
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{space}.{name}", thing.__annotations__
            if not inspect.isclass(thing):
                continue
            for base in thing.__mro__:
                if base.__module__.partition(".")[0] != "temperlr":
                    continue
                fields = {key: kind for key, kind in vars(base).get("__annotations__", {}).items() if key[0] != "_"}
                yield f"{base.__name__}", fields
                for member, value in vars(base).items():
                    function = getattr(value, "fget", None) or getattr(value, "method", None) or value
                    function = getattr(function, "__wrapped__", function)
                    if inspect.isfunction(function) and (member[0] != "_" or member == "__init__"):
                        yield f"{base.__name__}.{member}", function.__annotations__


def test_no_public_type_is_any():
    seen = dict(public_callables())
    assert len(seen) > 60 and "TemperedLogisticRegression.fit" in seen and "TemperedClassifier.predict" in seen
    loose = [name for name, kinds in seen.items() if any(re.search(r"\bAny\b", str(kind)) for key, kind in kinds.items() if key[0] != "_")]
    assert loose == []
    bare = [name for name, kinds in seen.items() if "." in name and "return" not in kinds]
    assert bare == []
    assert "Any" not in vars(temperlr._types)


def test_there_are_five_examples():
    assert [path.stem for path in EXAMPLES] == ["audit", "dask_shards", "digits", "network", "text"]


# test_shards.py has a cluster of Dask, too, which takes seconds to start.
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem, marks=[pytest.mark.long] * (path.stem == "dask_shards"))
                                  for path in EXAMPLES])
def test_examples(path, tmp_path):
    if path.stem == "dask_shards":
        pytest.importorskip("distributed", reason="the example dask_shards needs dask and distributed")
    if path.stem == "network":
        pytest.importorskip("torch", reason="the example network needs torch: make python-long")
    done = subprocess.run([sys.executable, "-W", "error::FutureWarning", str(path)], text=True,
                          capture_output=True, cwd=tmp_path, timeout=1200,
                          env={**__import__("os").environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    expected = path.read_text().split('"""')[1].split("It prints::\n", 1)[1]
    if path.stem == "network":
        compare_network(done.stdout, expected)
    else:
        assert done.stdout.split() == expected.split()


def compare_network(printed, expected):
    """Accuracies differ a little from one processor to another; each gain is positive."""
    numbers = [[float(word) for word in re.findall(r"\d+|-\d+", text)] for text in (printed, expected)]
    assert re.sub(r"\d+", "N", printed).split() == re.sub(r"\d+", "N", expected).split()
    assert numbers[0][:2] == numbers[1][:2]
    for ours, theirs in zip(numbers[0][2:], numbers[1][2:]):
        assert abs(ours - theirs) <= max(6, 0.1 * theirs)
    gains = [int(points) for points in re.findall(r"(-?\d+) points more", printed)]
    assert len(gains) == 3 and min(gains) >= 5


def test_the_version_is_one():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{temperlr.__version__}"' in text


def test_one_extension_for_all_later_pythons():
    path = pathlib.Path(temperlr._temper.__file__)
    assert path.name == "_temper.abi3.so"
    nm = subprocess.run(["nm", "-D", "--defined-only", str(path)], text=True, capture_output=True)
    if nm.returncode == 0:
        names = {line.split()[-1] for line in nm.stdout.splitlines()}
        assert names == {"PyInit__temper"}
    undefined = subprocess.run(["nm", "-D", "-u", str(path)], text=True, capture_output=True)
    assert "PyArray" not in undefined.stdout  # no ABI of NumPy


@pytest.mark.long  # stubtest: 10 s
def test_stubs_are_those_of_the_extension(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "temperlr._temper",
                           "--ignore-missing-stub", "--concise"], text=True, capture_output=True,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What mypy has found out about NumPy and others, from one run to the next."""
    return tmp_path_factory.mktemp("mypy")


def strict_mypy(kept, folder, *what):
    """scikit-learn has no types, so that its classes are Any, and Dask has few: all else is strict."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
                           "--cache-dir", str(kept),
                           "--allow-subclassing-any", "--untyped-calls-exclude=dask",
                           "--untyped-calls-exclude=distributed", *what], text=True, capture_output=True,
                          cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_fit(kept, tmp_path):
    strict_mypy(kept, tmp_path, "-p", "temperlr")


@pytest.mark.long
def test_users_see_types(kept, tmp_path):
    """What is used as it should be passes, and what is not is refused."""
    strict_mypy(kept, tmp_path, *map(str, EXAMPLES))
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import temperlr\n"
                     "model = temperlr.TemperedLogisticRegression()\n"
                     "answer: int = model.sparsify().predict_proba([[1.0]])\n")
    with pytest.raises(AssertionError, match="Found 1 error"):
        strict_mypy(kept, tmp_path, str(wrong))
