"""Which peers are installed, and the environment that is fair to them. Loads none of them."""
import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TORCH_PYTHON = "/usr/bin/python3"  # Debian's, which its python3-torch is for


@functools.cache
def has_torch():
    """Its build for processors alone is Debian's: that of PyPI brings gigabytes for graphics cards."""
    return pathlib.Path(TORCH_PYTHON).exists() and subprocess.run(
        [TORCH_PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def has(package):
    return importlib.util.find_spec(package) is not None


@functools.cache
def has_glmnet():
    return shutil.which("Rscript") is not None and subprocess.run(
        ["Rscript", "--vanilla", "-e", "library(glmnet)"], capture_output=True, check=False).returncode == 0


# {package: (its name on PyPI, the peers it brings)}
PACKAGES = {
    "xgboost": ("xgboost-cpu", ["xgboost gblinear"]),
    "vowpalwabbit": ("vowpalwabbit", ["vw bfgs"]),
    "cleanlab": ("cleanlab", ["cleanlab"]),
    "snapml": ("snapml", ["snapml primal", "snapml dual"]),
    "sklearnex": ("scikit-learn-intelex", ["sklearnex lbfgs", "sklearnex newton-cg"]),
    "mlpack": ("mlpack", ["mlpack lbfgs"]),
}


def versions():
    """{peer: version} of what is installed, for the record."""
    names = {"scikit-learn": "scikit-learn", **{pypi: pypi for pypi, _ in PACKAGES.values()}}
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {**found, **debian_versions()}


def debian_versions():
    if not shutil.which("dpkg-query"):
        return {}
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", "liblinear-tools", "r-cran-glmnet",
                           "python3-torch"], capture_output=True, text=True, check=False)
    return dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)


def missing():
    """{name: why} of the peers that are not here."""
    gone = {}
    if not shutil.which("liblinear-train"):
        gone.update({f"liblinear -s {kind}": "LIBLINEAR is not here (Debian: liblinear-tools)"
                     for kind in (0, 2, 7)})
    for package, (pypi, peers) in PACKAGES.items():
        if not has(package):
            gone.update({peer: f"it is not here (PyPI: {pypi})" for peer in peers})
    if not has_glmnet():
        gone["glmnet"] = "it is not here (Debian: r-cran-glmnet, r-base-core)"
    if not has_torch():
        gone["torch lbfgs"] = "PyTorch is not here (Debian: python3-torch; `make bench-full` installs it)"
    return gone


@functools.cache
def processor_flags():
    flags = pathlib.Path("/proc/cpuinfo")
    return flags.read_text() if flags.exists() else ""


def has_avx512():
    return "avx512f" in processor_flags()


def best_kernels():
    """OpenBLAS does not know every processor, and then takes slow ones."""
    if has_avx512():
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if "avx2" in processor_flags() else {}


def environment(threads=1):
    return {**best_kernels(), **os.environ, **dict.fromkeys(THREADS, str(threads))}
