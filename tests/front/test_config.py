"""The masks of a project, read from its pyproject.toml."""

from inspect import signature
from pathlib import Path

import pytest

from attnproof.ask.verify import verify
from attnproof.config import Asked, Entry, asked, entries
from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.verdict import Verdict

WHOLE = """
[[tool.attnproof.mask]]
source = "pkg.masks:packed"
params = { ids = "@ids.npy", keys = 3 }
n = 256
properties = ["causal", "documents=0,0,1", "depth=2"]
expect = "fails"
encoding = "block"
q_offset = 4
layers = 12
residual = false
empty_row = "uniform"
heads = 8
batches = 2
batch = 1
layout = "b h q k"
queries = 4
max_findings = 5

[[tool.attnproof.mask]]
source = "causal"
all_n = true
"""


def project(folder: Path, text: str) -> Path:
    """A folder with a pyproject.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_every_key_of_an_entry(tmp_path: Path) -> None:
    """Each key arrives; what is not given has its default."""
    folder = project(tmp_path, WHOLE)
    first, second = entries(folder)
    assert first == Entry(
        sources=("pkg.masks:packed",),
        folder=folder.resolve(),
        where="tool.attnproof.mask[0]",
        params={"ids": "@ids.npy", "keys": 3},
        n=256,
        properties=(Asked("causal"), Asked("documents", "0,0,1"), Asked("property", "depth=2")),
        expect=Verdict.FAILS,
        encoding="block",
        q_offset=4,
        layers=12,
        residual=False,
        empty_row="uniform",
        heads=8,
        batches=2,
        batch=1,
        layout="b h q k",
        queries=4,
        max_findings=5,
        line=2,
    )
    assert (second.all_n, second.n, second.properties) == (True, None, ())
    assert second.expect is Verdict.HOLDS


LAYERS = """
[[tool.attnproof.mask]]
source = ["causal", "window"]
per_layer = true
all_n = true
split = true
symbolic = ["keys"]
assume = { ids = "nondecreasing", order = ["injective", "bounded(0, n)"] }
"""


def test_layers_and_assumptions_of_an_entry(tmp_path: Path) -> None:
    """Successive layers are a list of sources; assumptions may be a table."""
    (entry,) = entries(project(tmp_path, LAYERS))
    assert (entry.sources, entry.source) == (("causal", "window"), "causal then window")
    assert (entry.per_layer, entry.split) == (True, True)
    assert entry.assume == {"ids": ("nondecreasing",), "order": ("injective", "bounded(0, n)")}


def test_every_option_that_reads_a_mask_is_a_key(tmp_path: Path) -> None:
    """What ``verify`` takes beside properties is a key of an entry."""
    asked_for = {"causal", "next_token", "documents", "forbid", "task", "equals", "properties"}
    options = set(signature(verify).parameters) - asked_for - {"sources", "width", "before"}
    folder = project(tmp_path, '[[tool.attnproof.mask]]\nsource = "causal"\nx = 1\n')
    with pytest.raises(InputError) as caught:
        entries(folder)
    legal = caught.value.parts["legal"]
    assert isinstance(legal, tuple)
    assert options <= set(legal)


def test_nearest_project_with_a_table_is_found(tmp_path: Path) -> None:
    """From a folder below; a pyproject.toml without the table is passed over."""
    project(tmp_path, WHOLE)
    below = project(tmp_path / "a" / "b", "[project]\nname = 'b'\n")
    assert [entry.source for entry in entries(below)] == ["pkg.masks:packed", "causal"]
    assert entries(below)[0].folder == tmp_path.resolve()
    project(below, '[[tool.attnproof.mask]]\nsource = "m.npy"\n')
    assert [entry.source for entry in entries(below)] == ["m.npy"]


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("causal", "--causal"),
        ("next-token", "--next-token"),
        ("documents=3,3", "--documents 3,3"),
        ("forbid=rules.py:pairs", "--forbid rules.py:pairs"),
        ("task=task.toml", "--task task.toml"),
        ("equals=window", "--equals window"),
        ("transitive", "--property transitive"),
        ("no-empty-rows", "--property no-empty-rows"),
        ("depth=3", "--property depth=3"),
    ],
)
def test_property_is_written_as_on_the_command_line(text: str, option: str) -> None:
    """Each property string stands for one option of verify."""
    assert repr(asked(text)) == option


BAD = [
    ("mask = 3", "tool.attnproof.mask is 3; it must be a list of tables, [[tool.attnproof.mask]]"),
    ("masks = []", "tool.attnproof has the unknown key 'masks'; did you mean 'mask'?"),
    ("mask = []", "tool.attnproof names no mask; add [[tool.attnproof.mask]]"),
    ("mask = [{n = 3}]", "mask[0].source is missing; write source ="),
    ("mask = [{source = 1}]", "mask[0].source is 1; it must be a string"),
    ("mask = [{source = ['a', 'b']}]", "mask[0].source is a list of 2; with per_layer = true"),
    ("mask = [{source = [], per_layer = true}]", "mask[0].source names no mask; list one"),
    ("mask = [{source = 'a', batches = 0}]", "mask[0].batches is 0; it must be 1 or more"),
    ("mask = [{source = 'a', assume = {ids = 3}}]", "mask[0].assume.ids is 3; it must be a list"),
    ("mask = [{source = 'a', lenght = 3}]", "mask[0] has the unknown key 'lenght'"),
    ("mask = [{source = 'a', n = 0}]", "mask[0].n is 0; it must be 1 or more"),
    ("mask = [{source = 'a', n = '8'}]", "mask[0].n is '8'; it must be an integer"),
    ("mask = [{source = 'a', n = 8, all_n = true}]", "mask[0].all_n and n = 8 are both given"),
    ("mask = [{source = 'a', params = [1]}]", "mask[0].params is [1]; it must be a table"),
    ("mask = [{source = 'a', expect = 'ok'}]", "mask[0].expect is 'ok'; it must be one of holds"),
    ("mask = [{source = 'a', properties = 'causal'}]", "must be a list of strings"),
    ("mask = [{source = 'a', properties = ['casual']}]", "mask[0].properties[0] is 'casual'; did"),
    ("mask = [{source = 'a', properties = ['documents']}]", "give its value, documents=..."),
    ("mask = [{source = 'a', properties = ['causal=1']}]", "causal takes no value"),
    ("mask = [{source = 'a', properties = ['depth=x']}]", "give a number of layers, depth=2"),
]


@pytest.mark.parametrize(("table", "said"), BAD)
def test_mistake_names_the_file_and_the_key(tmp_path: Path, table: str, said: str) -> None:
    """One message: file, key path, what stands there and what should."""
    folder = project(tmp_path, f"[tool.attnproof]\n{table}\n")
    with pytest.raises(InputError) as caught:
        entries(folder)
    assert str(caught.value).startswith(f"{folder.resolve() / 'pyproject.toml'}: tool.attnproof")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{0}{1}al_n = true\n", 5),
        ('{0}\n{1}n = "8"\n', 6),
        ('{0}{1}properties = ["casual"]\n', 5),
        ("{0}{1}assume = {{ ids = 3 }}\n", 5),
        ('tool.attnproof.mask = [{{ source = "a", n = 0 }}]\n', None),
        ("[tool.attnproof]\nmasks = 3\n", None),
    ],
)
def test_a_mistake_has_the_line_of_its_entry(tmp_path: Path, text: str, line: int | None) -> None:
    """Where entries begin on lines of their own."""
    entry = '[[tool.attnproof.mask]]\nsource = "a"\n'
    folder = project(tmp_path, text.format("\n\n" + entry, entry))
    with pytest.raises(InputError) as caught:
        entries(folder)
    assert caught.value.parts["line"] == line


def test_no_project_says_what_to_add(tmp_path: Path) -> None:
    """Without a table anywhere above, the message holds an example of one."""
    with pytest.raises(InputError, match=r"name a SOURCE, or add \[\[tool\.attnproof\.mask\]\]"):
        entries(tmp_path)


def test_broken_project_file(tmp_path: Path) -> None:
    """A pyproject.toml that is no TOML is named."""
    with pytest.raises(FileError, match=r"pyproject\.toml is not valid TOML"):
        entries(project(tmp_path, "tool = ["))


def test_a_property_that_is_asked_for_twice_is_refused(tmp_path: Path) -> None:
    """The second would replace the first without a word."""
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.attnproof.mask]]\nsource = "full"\nn = 3\n'
        'properties = ["documents=1,2", "documents=2,1"]\n'
    )
    from attnproof.ask.project import Unusable, project

    (one,) = project(tmp_path)
    assert isinstance(one, Unusable)
    assert "documents is asked for twice, with different values" in one.message
