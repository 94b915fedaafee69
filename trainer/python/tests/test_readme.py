"""The README's code does what it says."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, known)
        if "predict" in block:
            assert known["model"].predict([[5.0], [12.0], [-2.0]]).tolist() == [0, 1, 1]
            assert known["model"].score(known["X"], known["y"]) > 1
    assert (tmp_path / "fridge.pual").read_bytes() == known["model"].to_bytes()
    assert known["model"].inside([[99.0]]).tolist() == [False]
