"""Objects named by text: what is found, what is shown when the user's file fails."""

import os
import sys
from pathlib import Path

import pytest

from attnproof.numeric.read.objects import names_object, resolve
from attnproof.numeric.read.user_code import user_code
from attnproof.symbolic.errors import FileError, InputError


def test_a_file_is_run_afresh_with_its_folder_on_the_path(tmp_path: Path) -> None:
    """A file may import its neighbours; an edit shows at once; the import path is as before."""
    (tmp_path / "beside_attnproof_test.py").write_text("KEYS = 3\n")
    path = tmp_path / "mask.py"
    path.write_text("from beside_attnproof_test import KEYS\nclass A:\n    size = KEYS\n")
    before = list(sys.path)
    assert resolve(f"{path}:A.size") == 3
    path.write_text("class A:\n    size = 4\n")
    assert resolve(f"{path}:A.size") == 4
    assert sys.path == before
    assert sorted(os.listdir(tmp_path)) == ["beside_attnproof_test.py", "mask.py"] or (
        "__pycache__" in os.listdir(tmp_path)
    )


def test_a_relative_file_and_dataclasses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is found from the current folder, and may define dataclasses."""
    monkeypatch.chdir(tmp_path)
    Path("mask.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int' = 2\nVALUE = P()\n"
    )
    assert resolve("mask.py:VALUE.x") == 2


def test_a_module_is_found_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pkg.mod:name sees installed modules and those of the current folder."""
    package = tmp_path / "package_attnproof_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("def rule():\n    return 1\n")
    monkeypatch.chdir(tmp_path)
    found = resolve("package_attnproof_test.rules:rule")
    assert callable(found)
    assert found() == 1
    assert resolve("os:path.sep") == os.sep


def test_what_a_file_prints_stays_off_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report on stdout stays one document."""
    path = tmp_path / "mask.py"
    path.write_text("print('hello')\nX = 1\n")
    resolve(f"{path}:X")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "hello\n")


BROKEN = [
    ("raise ValueError('bad data')\n", "raised ValueError: bad data (", "mask.py, line 1)"),
    ("\ndef f(:\n", "raised SyntaxError: ", "mask.py, line 2)"),
    ("import no_such_module_here\n", "raised ModuleNotFoundError", "mask.py, line 1)"),
    ("raise SystemExit(3)\n", "raised SystemExit: 3", "line 1)"),
    ("x = 1\n", "mask.py has no 'rule'; it has x", ""),
    ("rulle = 1\nother = 2\n", "has no 'rule'; it has rulle", ""),
    (
        "from os import path, sep\ndef packed(): 1\ndef ruler(): 1\n",
        "has no 'rule'; it has ruler, packed",
        "",
    ),
    ("", "mask.py is empty; it defines no names", ""),
    ("\xff\xfe".encode("latin-1").decode("latin-1") + "\x00", "raised SyntaxError", ""),
    ("def __getattr__(name):\n    raise RuntimeError(name)\n", "raised RuntimeError: rule", ""),
]


@pytest.mark.parametrize(("content", "words", "place"), BROKEN)
def test_a_file_that_fails(tmp_path: Path, content: str, words: str, place: str) -> None:
    """The message shows the user's exception with its line, not ours."""
    path = tmp_path / "mask.py"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        resolve(f"{path}:rule")
    message = str(caught.value)
    assert words in message
    assert place in message
    assert "objects.py" not in message
    assert caught.value.__cause__ is None


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    """A missing file, module or name, and a text that names nothing, are told apart."""
    with pytest.raises(FileError, match=r"none.py does not exist; name a file that is there"):
        resolve(f"{tmp_path}/none.py:rule")
    (tmp_path / "mask").mkdir()
    (tmp_path / "masks.py").write_text("x = 1\n")
    with pytest.raises(FileError, match=r"mask.py does not exist; did you mean .*masks.py\?$"):
        resolve(f"{tmp_path}/mask.py:rule")
    with pytest.raises(InputError, match="there is no module 'no_such_module_here'"):
        resolve("no_such_module_here.part:rule")
    with pytest.raises(InputError, match="math has no 'pie'; it has pi"):
        resolve("math:pie")
    with pytest.raises(InputError, match=r"write pkg.mod:name or path/file.py:name"):
        resolve("mask.py:1x")
    assert not names_object("causal")


def test_our_own_errors_pass_through() -> None:
    """A message that is ours already is not wrapped again."""
    with pytest.raises(FileError, match=r"^mask\.npy is empty$"), user_code("factory"):
        raise FileError("mask.npy is empty")


def test_files_have_helpers_of_their_own(tmp_path: Path) -> None:
    """Two files beside helpers of one name read each its own."""
    for name, value in (("a", 0), ("b", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shared_helper.py").write_text(f"W = {value}\n")
        (tmp_path / name / "masks.py").write_text("from shared_helper import W\n")
    assert [resolve(f"{tmp_path / name / 'masks.py'}:W") for name in ("a", "b", "a")] == [0, 1, 0]
