"""The mask of a task as the text of a FlexAttention ``mask_mod``: a table of rows.

One function for each layer; with several heads the table has one mask a head. Where keys count more
than once, a ``score_mod`` adds the logarithm of how often. Beyond the positions of the task nothing
is read, so that a kernel may pad; the attribute ``n`` of a function says how many there are.
"""

import re
from collections.abc import Sequence

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.masks import each_head, row_texts
from attnproof.symbolic.tasks.quotient import Weights
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.words import counted


def table_source(task: Task, weights: Weights | None = None) -> str:
    """The text of a module; row = query, and ``1`` is a key that is read.

    >>> print(table_source(Task.build(["x"], {}, ["1"], name="one")))
    # one: exactly 1 position; row = query, 1 where the key is read.
    # Tables are on the CPU; to run elsewhere set reads = reads.to(device) in this module.
    <BLANKLINE>
    import torch
    <BLANKLINE>
    rows = [
        "1",
    ]
    reads = torch.tensor([[key == "1" for key in row] for row in rows])
    n = 1
    <BLANKLINE>
    <BLANKLINE>
    def one(b, h, q, k):
        return (q < n) & (k < n) & reads[q % n, k % n]
    <BLANKLINE>
    <BLANKLINE>
    one.n = n
    <BLANKLINE>
    """
    layers = each_head(task.mask, task.size)
    name = identifier(task.name)
    size = counted(task.size, "position")
    lines = [
        f"# {task.name or name}: exactly {size}; row = query, 1 where the key is read.",
        "# Tables are on the CPU; to run elsewhere set reads = reads.to(device) in this module.",
        *["", "import torch", ""],
    ]
    functions: list[str] = []
    named: list[str] = []
    for level, heads in enumerate(layers):
        more = f"_{level}" if len(layers) > 1 else ""
        lines += _table(f"rows{more}", f"reads{more}", heads)
        at = "q % n, k % n" if len(heads) == 1 else "h, q % n, k % n"
        named.append(f"{name}{more}")
        functions += [
            *["", "", f"def {name}{more}(b, h, q, k):"],
            f"    return (q < n) & (k < n) & reads{more}[{at}]",
        ]
        if weights is not None:
            counts = weights[level][0] if len(heads) == 1 else weights[level]
            lines += [f"times{more} = torch.tensor({_lists(counts)})"]
            functions += [
                "",
                "",
                f"def {name}_score{more}(score, b, h, q, k):",
                f"    return score + torch.log(times{more}[{at}])",
            ]
    lines.append(f"n = {task.size}")
    return "\n".join([*lines, *functions, "", "", *(f"{one}.n = n" for one in named), ""])


def identifier(name: str) -> str:
    """A name that Python takes.

    >>> identifier("predict-3"), identifier("3"), identifier("torch")
    ('predict_3', 'merged_3', 'merged_torch')
    """
    import builtins
    import keyword

    found = re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")
    if not found:
        return "merged"
    taken = re.fullmatch(r"torch|n|(rows|reads|times)(_\d+)?", found) or hasattr(builtins, found)
    if taken or not found.isidentifier() or keyword.iskeyword(found):
        return f"merged_{found}"
    return found


def _table(rows: str, reads: str, heads: Sequence[Mask]) -> list[str]:
    if len(heads) == 1:
        listed = _lines(heads[0], "    ")
        return [
            f"{rows} = [",
            *listed,
            "]",
            f'{reads} = torch.tensor([[key == "1" for key in row] for row in {rows}])',
        ]
    listed = [line for head in heads for line in ["    [", *_lines(head, "        "), "    ],"]]
    return [
        f"{rows} = [",
        *listed,
        "]",
        f'{reads} = torch.tensor([[[key == "1" for key in row] for row in head] for head in '
        f"{rows}])",
    ]


def _lines(mask: Mask, indent: str) -> list[str]:
    return [f'{indent}"{row}",' for row in row_texts(mask)]


def _lists(value: object) -> object:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value
