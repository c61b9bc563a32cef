"""Model files and exports."""
import numpy as np
import pytest
from conftest import made

import temperlr
from temperlr import TemperedLogisticRegression


@pytest.mark.parametrize("names", [["b", "a", "c"], [3, 1, 2], [0.5, -1.5, 3.0], ["1_0", "2", "3"]])
def test_what_is_saved_is_loaded(tmp_path, names):
    X, y = made(classes=3)
    labels = np.array(names, dtype=object if isinstance(names[0], float) else None)[y]
    if isinstance(names[0], float):
        labels = np.array([str(label) for label in labels])  # text that is numbers
    model = TemperedLogisticRegression(0.4, 1.2).fit(X, labels)
    model.save(tmp_path / "model.temper")
    back = temperlr.load(tmp_path / "model.temper")
    assert np.array_equal(back.predict_proba(X)[:, np.argsort(np.argsort(back.classes_))],
                          back.predict_proba(X))
    assert np.array_equal(back.predict(X).astype(str), model.predict(X).astype(str))
    assert (back.t1, back.t2, back.stop_reason_) == (0.4, 1.2, "converged")
    assert back.classes_.dtype.kind == {str: "U", int: "i", float: "f"}[type(names[0])]
    assert back.fit(X, y).score(X, y) > 0.7  # an estimator like any other


def test_names_of_features_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = made(columns=2)
    frame = pandas.DataFrame(X, columns=["age", "größe"])
    TemperedLogisticRegression().fit(frame, y).save(tmp_path / "model.temper")
    assert list(temperlr.load(tmp_path / "model.temper").feature_names_in_) == ["age", "größe"]


def test_faults_are_exceptions(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.temper"):
        temperlr.load(tmp_path / "nothing.temper")
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ValueError, match="no model"):
        temperlr.load(tmp_path / "text")
    X, y = made()
    model = TemperedLogisticRegression().fit(X, y)
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder" / "model.temper")
    with pytest.raises(ValueError, match="no model"):
        temperlr._temper.from_text(b"PK")


def test_onnx_gives_the_same_answers(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = made(classes=3, dtype=np.float32)
    labels = np.array(["b", "a", "c"])[y]
    model = TemperedLogisticRegression(0.4, 1.2).fit(X, labels)
    model.to_onnx(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"),
                                           providers=["CPUExecutionProvider"])
    label, p = session.run(["label", "probabilities"], {"x": X})
    assert list(label) == list(model.predict(X))
    np.testing.assert_allclose(p[:, np.argsort(model._order)], model.predict_proba(X), atol=1e-6)
