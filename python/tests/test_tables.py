"""Tables of any kind: the same table gives the same model, byte for byte, through every door."""
import builtins
import json
import subprocess

import numpy as np
import pytest
from conftest import made
from sklearn.datasets import load_wine

import temperlr
from temperlr import TemperedLogisticRegression, read

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def people():
    """Ids, gaps, texts with commas and quotes, booleans, dates, and labels of which some are wrong."""
    rng = np.random.RandomState(5)
    n = 120
    income = np.round(rng.normal(40, 10, n), 3)
    age = pd.Series(rng.randint(18, 80, n), dtype="Int64").mask(rng.rand(n) < 0.2)
    return pd.DataFrame({
        "id": np.arange(1000, 1000 + n), "age": age, "income": income,
        "city": rng.choice(["Köln", "Rome, IT", 'say "hi"', "two\nlines"], n), "member": rng.rand(n) < 0.5,
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.randint(0, 900, n), unit="D"),
        "kind": np.where((income > 40) ^ (rng.rand(n) < 0.1), "high", "low")})


@pytest.fixture(scope="module")
def wine():
    """Plain numbers, and labels that are numbers."""
    X, y = load_wine(return_X_y=True)
    return pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).assign(kind=y)


def by_command(command, path):
    model = path.with_suffix(".command")
    subprocess.run([str(command), "train", str(path), "-q", "-m", str(model)], check=True, capture_output=True)
    return model.read_bytes()


def by_python(source, tmp_path, **options):
    path = tmp_path / "python.model"
    TemperedLogisticRegression().fit(read(source, **options)).save(path)
    return path.read_bytes()


def doors(frame, tmp_path):
    """The table as files and as tables of other packages."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    polars = pl.from_pandas(frame)
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows = json.loads(frame.to_json(orient="records", date_format="iso"))
    lines = [{key: value[:10] if key == "since" else value for key, value in row.items() if value is not None}
             for row in rows]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(dict(reversed(row.items()) if i else row)) + "\n"
                                              for i, row in enumerate(lines)))
    polars.write_parquet(tmp_path / "t.parquet")
    polars.write_ipc(tmp_path / "t.arrow")
    (tmp_path / "parts").mkdir()
    polars[:50].write_parquet(tmp_path / "parts" / "a.parquet")
    polars[50:].write_parquet(tmp_path / "parts" / "b.parquet")
    return {"csv": tmp_path / "t.csv", "jsonl": tmp_path / "t.jsonl", "parquet": tmp_path / "t.parquet",
            "arrow": tmp_path / "t.arrow", "folder": tmp_path / "parts", "pandas": frame, "pyarrow": table,
            "polars": polars, "chunks": pl.concat([polars[:50], polars[50:]], rechunk=False),
            "slice": pa.concat_tables([table, table]).combine_chunks().slice(len(frame))}


@pytest.mark.parametrize("name", ["people", "wine"])
def test_same_model_through_every_door(name, request, command, tmp_path):
    frame = request.getfixturevalue(name)
    if name == "people":
        first = frame["age"].first_valid_index()  # the keys of the first object are the order of the columns
        frame = pd.concat([frame[first:], frame[:first]], ignore_index=True)
    sources = doors(frame, tmp_path)
    expected = by_command(command, sources["csv"])
    assert by_command(command, sources["jsonl"]) == expected
    for door, source in sources.items():
        assert by_python(source, tmp_path) == expected, door


def test_dictionaries_and_duckdb(people, command, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    people.to_csv(tmp_path / "t.csv", index=False)
    expected = by_command(command, tmp_path / "t.csv")
    categories = pl.from_pandas(people).with_columns(pl.col("city").cast(pl.Categorical))
    assert by_python(categories, tmp_path) == expected
    assert by_python(duckdb.from_arrow(pa.Table.from_pandas(people, preserve_index=False)), tmp_path) == expected


def test_lists_are_not_copied():
    X, y = made(dtype=np.float32)
    values = pa.array(X.ravel())
    table = read(pa.table({"x": pa.FixedSizeListArray.from_arrays(values, X.shape[1]), "kind": y}))
    model = TemperedLogisticRegression().fit(table)
    assert table.feature_names[:2] == ["x[0]", "x[1]"]
    expected = TemperedLogisticRegression().fit(X, y).coef_
    assert np.array_equal(model.coef_.astype(expected.dtype), expected)  # coef_ of a table has all digits
    alone = pl.DataFrame({"x": pl.Series(X, dtype=pl.Array(pl.Float32, X.shape[1]))})
    assert np.array_equal(model.predict(alone), model.predict(table))


def test_x_and_y_of_a_table(people):
    frame = pl.from_pandas(people)
    X, y = frame.drop("kind"), frame["kind"]
    model = TemperedLogisticRegression().fit(X, y)
    assert "city=Köln" in model.feature_names_in_ and list(model.classes_) == ["high", "low"]
    assert model.score(X, y) > 0.8
    assert np.array_equal(model.predict(frame), model.predict(X.select(reversed(X.columns))))
    table = read(frame)
    same = TemperedLogisticRegression().fit(table)
    assert list(table.labels) == list(y) and sorted(table.classes) == ["high", "low"]
    assert np.array_equal(same.predict(frame), same.predict(read(frame, like=same)))
    weighted = TemperedLogisticRegression(class_weight="balanced").fit(X, y, np.linspace(1, 2, len(y)))
    assert not np.array_equal(weighted.coef_, model.coef_)
    assert 0 <= TemperedLogisticRegression(t1="auto").fit(table).t1_ <= 1


def test_notes_and_options(people):
    table = read(people, label="member", ignore=["id", "since"], categorical="city", na="none", dtype="float64")
    assert len(table) == len(people) and not any(name.startswith("since") for name in table.feature_names)
    assert any("filled" in note or "mean" in note for note in table.notes)
    assert "120 rows" in repr(table)
    with pytest.raises(ValueError, match="neither"):
        read(people, dtype="int")
    with pytest.raises(ValueError, match="no value in column 'age'"):
        read(people, strict=True)


def test_refused(people, tmp_path, monkeypatch):
    with pytest.raises(TypeError, match="Arrow stream interface"):
        read(3)
    with pytest.raises(ValueError, match="column 'x' is a list"):
        read(pa.table({"x": [[1], [2, 3]], "k": ["a", "b"]}))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.parquet")
    with pytest.raises(ValueError, match="requires y"):
        TemperedLogisticRegression().fit(pl.from_pandas(people))
    with pytest.raises(ValueError, match="has its labels"):
        TemperedLogisticRegression().fit(read(people), people["kind"])
    with pytest.raises(ValueError, match="like="):
        TemperedLogisticRegression().fit(read(people)).predict(read(people, ignore="city"))
    people.to_parquet(tmp_path / "t.parquet")
    real = builtins.__import__

    def without(name, *args, **keywords):
        if name.split(".")[0] in ("pyarrow", "polars", "duckdb"):
            raise ImportError(name)
        return real(name, *args, **keywords)

    monkeypatch.setattr(temperlr.tables.importlib, "import_module", without)
    with pytest.raises(ImportError, match="needs one of pyarrow, polars, duckdb"):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("package", ["pyarrow", "polars", "duckdb"])
def test_each_package_alone(package, people, command, tmp_path, monkeypatch):
    pytest.importorskip(package)
    people.to_csv(tmp_path / "t.csv", index=False)
    pl.from_pandas(people).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(temperlr.tables, "_PACKAGES", (package,))
    assert by_python(tmp_path / "t.parquet", tmp_path) == by_command(command, tmp_path / "t.csv")
