"""``python -m tests.docs.masks_page``: docs/masks.md and its pictures, from the registry and from
what ``attnproof verify`` says of each mask.

A mask is shown as its example, at a small length.
"""

import shlex

import attnproof as ap
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.named import registry
from attnproof.symbolic.named.named import REQUIRED, NamedMask
from tests.docs.pictures import DOCS

OPENING = """\
# Named masks

`attnproof masks` lists them; each works wherever a mask is expected.

```python
>>> import attnproof as ap
>>> ap.Mask("window", n=6, keys=3)
Mask 6×6 (row = query)
#·····
##····
###···
·###··
··###·
···###
```

The formula is the definition: `q` is the query, `k` the key, and the mask reads where it is true.
`//` and `%` round down; names with brackets are tensors that follow from the parameters.

Each mask is shown at a small length and asked whether it is causal. The picture has on the left who
reads whom in one layer (row = query, column = key), on the right the Hasse diagram of what flows
through any number of layers; a key that reaches an earlier query is marked with its path. For many
masks, such as those of encoders and of several streams, that is intended.
[What flows through layers](flow.md) explains the words under *Flow*.
"""


def main() -> None:
    """Write the page, and draw each mask."""
    (DOCS / "masks").mkdir(exist_ok=True)
    for name in registry.names():
        report(registry.get(name)).draw(str(DOCS / f"masks/{name}.svg"))
    write_atomically(DOCS / "masks.md", page())


def report(mask: NamedMask) -> ap.Report:
    """What is said of the example of a mask, asked whether it is causal."""
    return ap.verify(mask.mask(**mask.example), causal=True)


def page() -> str:
    """The page: what is common to all, where each stands, and an entry for each."""
    names = registry.names()
    places = " · ".join(f"[{name}](#{name})" for name in names)
    return "\n".join([OPENING, f"{places}\n", *(entry(registry.get(name)) for name in names)])


def entry(mask: NamedMask) -> str:
    """Name, formula, parameters and picture of a mask, and the command with its answer."""
    given = {name: value for name, value in mask.example.items() if name != "n"}
    parameters = []
    for parameter in mask.parameters:
        default = "" if parameter.default is REQUIRED else f"; default {shown(parameter.default)}"
        parameters.append(
            f"- `{parameter.name}`: {parameter.doc} ({parameter.kind.words}{default})"
        )
    parts = [
        f"## {mask.name}",
        f"{mask.doc} Source: {mask.source}; {mask.positions_doc}.",
        f"```text\n{mask.formula(**given)}\n```",
        "\n".join(parameters),
        f"![{mask.name}: the mask and its Hasse diagram](masks/{mask.name}.svg)",
        f"```console\n$ {command(mask)}\n...\n{answer(report(mask).text())}\n...\n```",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def shown(default: object) -> str:
    """A default as the page shows it."""
    return "none" if default is None else f"`{written(default)}`"


def command(mask: NamedMask) -> str:
    """What gives the answer on the command line."""
    given = [
        f"--n {value}" if name == "n" else f"--param {shlex.quote(f'{name}={written(value)}')}"
        for name, value in mask.example.items()
    ]
    return " ".join(["attnproof verify", mask.name, *given, "--causal"])


def written(value: object) -> str:
    """A parameter as the command line takes it."""
    text = str(list(value) if isinstance(value, tuple) else value).replace(" ", "")
    return text.lower() if isinstance(value, bool) else text


def answer(text: str) -> str:
    """The verdict with its first finding, and the flow, of a report."""
    blocks = text.split("\n\n")
    verdict, *findings = next(block for block in blocks if "  causal" in block).splitlines()
    flow = next(block for block in blocks if block.startswith("Flow"))
    return "\n".join([verdict, *findings[:1], "...", flow])


if __name__ == "__main__":
    main()
