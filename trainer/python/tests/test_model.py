"""Model files in Python."""

import pickle

import numpy as np
import pytest
from pual import PUAL, Model, load


@pytest.fixture(scope="module")
def fitted(data):
    X, y, _ = data
    return PUAL(method="gllc", tune=False).fit(X, y)


def test_a_file_is_read_back(fitted, data, tmp_path):
    X, _, _ = data
    fitted.export(tmp_path / "model.pual")
    model = load(tmp_path / "model.pual")
    assert model == fitted.model_ and len(model) == (tmp_path / "model.pual").stat().st_size
    assert model.decision_function(X).dtype == np.float32
    assert (model.predict(X) == fitted.predict(X)).all()
    assert model.n_features == 2 and model.feature_names == ["x0", "x1"] and model.kernel == "rbf"
    assert model.n_supports >= 1 and model.encoding in ("f32", "i16", "i8") and model.threshold == 0.0
    assert pickle.loads(pickle.dumps(model)) == model
    assert [path.name for path in tmp_path.iterdir()] == ["model.pual"]


def test_many_rows_are_scored_as_few_are(fitted, data):
    X, _, _ = data
    many = np.tile(X, (50, 1))
    assert (fitted.decision_function(many) == np.tile(fitted.decision_function(X), 50)).all()


def test_the_training_range_is_known(fitted, data):
    X, _, _ = data
    model = fitted.model_
    assert model.inside(X).all() and not model.inside(X + 100.0).any()
    assert model.inside([[np.nan, 0.0]]).tolist() == [False]
    # Within the resolution of its integers.
    assert model.ranges[0] == pytest.approx((X[:, 0].min(), X[:, 0].max()), abs=0.01)


def test_damaged_files_are_refused(fitted, tmp_path):
    good = fitted.model_.to_bytes()
    for at in range(0, len(good), 7):
        bad = bytearray(good)
        bad[at] ^= 4
        with pytest.raises(ValueError, match="not a usable model"):
            Model(bytes(bad))
    (tmp_path / "short.pual").write_bytes(good[:20])
    with pytest.raises(ValueError, match="short.pual: not a usable model: the model is truncated"):
        load(tmp_path / "short.pual")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.pual")


def test_wrong_shapes_are_refused(fitted):
    for wrong in ([1.0, 2.0], [[1.0]], [[1.0, 2.0, 3.0]], np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match="the model takes 2 features"):
            fitted.model_.decision_function(wrong)
    assert fitted.model_.decision_function(np.zeros((0, 2))).shape == (0,)


def test_a_place_that_cannot_be_written_is_an_os_error(fitted, tmp_path):
    with pytest.raises(OSError, match="cannot write"):
        fitted.export(tmp_path / "no" / "model.pual")
