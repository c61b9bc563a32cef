"""Which peers are installed, and the environment that is fair to them. Loads none of them."""
import functools
import importlib.util
import os
import pathlib
import shutil
import subprocess

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
TORCH_PYTHON = "/usr/bin/python3"  # Debian's, which its python3-torch is for


@functools.cache
def has_torch():
    """Its build for processors alone is Debian's: that of PyPI brings gigabytes for graphics cards."""
    return pathlib.Path(TORCH_PYTHON).exists() and subprocess.run(
        [TORCH_PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def missing():
    """{name: why} of the peers that are not here."""
    gone = {}
    if not shutil.which("liblinear-train"):
        gone.update({f"liblinear -s {kind}": "LIBLINEAR is not here (Debian: liblinear-tools)"
                     for kind in (0, 2, 7)})
    if not importlib.util.find_spec("xgboost"):
        gone["xgboost gblinear"] = "XGBoost is not here (PyPI: xgboost-cpu)"
    if not importlib.util.find_spec("vowpalwabbit"):
        gone["vw bfgs"] = "Vowpal Wabbit is not here (PyPI: vowpalwabbit)"
    if not importlib.util.find_spec("cleanlab"):
        gone["cleanlab"] = "it is not here (PyPI: cleanlab)"
    if not has_torch():
        gone["torch lbfgs"] = "PyTorch is not here (Debian: python3-torch; `make bench-full` installs it)"
    return gone


def best_kernels():
    """OpenBLAS does not know every processor, and then takes slow ones."""
    flags = pathlib.Path("/proc/cpuinfo")
    text = flags.read_text() if flags.exists() else ""
    if "avx512f" in text:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if "avx2" in text else {}


def environment():
    return {**best_kernels(), **os.environ, **ONE_THREAD}
