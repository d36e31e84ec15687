"""``python -m tests.benchmarks.faults_page [DIR]``: docs/faults.md from docs/faults.json.

With a folder that ``attnproof study faults --out DIR`` wrote, its records and figure come first.
"""

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnproof.numeric.studies.faults import STUDY
from attnproof.symbolic.files import write_atomically

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    """Take over a run, if one is named, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.faults_page", description=__doc__
    )
    parser.add_argument("folder", nargs="?", help="what attnproof study faults wrote")
    folder = parser.parse_args().folder
    if folder:
        for name in ("faults.json", "faults.svg"):
            shutil.copy(Path(folder) / name, DOCS / name)
    write_atomically(DOCS / "faults.md", page(json.loads((DOCS / "faults.json").read_text())))


def page(data: Mapping[str, Any]) -> str:
    """The page that these records make."""
    records = data["records"]
    by_method, by_kind, by_architecture, false_alarms = STUDY.tables(records)
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    total = sum(each["seconds"]["plain"] for each in records) / len(records) * 1e3
    return f"""# Faults put in, and who finds them

How far can a [probe](probe.md) be trusted? Here the answer is known beforehand: leaks are put into
small models by construction, and every way to look for a leak is asked about each of them, and
about as many models that keep their promise. `attnproof study faults` runs it again; the records
are [faults.json](faults.json), and this page is made from them.

![How many of the faults each method finds, and on how many clean models it raises an
alarm.](faults.svg)

{by_method.markdown()}

- **Truth** is the product of what each layer reads, written down beside the layer that is built
  so; no probe has a part in it. Tests show for each kind of fault a run in which it leaks.
- **Models** are of {_architectures(records)} architectures, with 2 to 4 layers, 7 positions
  (BART: 5 and 6) and a width of 8, in float64, with random weights. A plain forward pass takes
  {total:.0f} ms.
- **Masks**: the masks that the layers hold, decoded and multiplied as `attnproof verify
  --per-layer` does. A model without a mask gives it nothing to look at.
- **The two-pass audit** is written anew from its published description (arXiv 2608.22876), and is
  not its authors' code: change the last position, run again, compare every earlier row of each
  module with a relative tolerance of 10⁻⁶. In float64 it is sharper than in the float32 in which
  models run.
- **Jacobian** and **perturbation** are `attnproof.numeric.dependency` at two points;
  **structure** is the structural probe. *Unknown* says that it found no leak, but Python, or a
  routing, took a value that depends on data.
- **Leaking pairs seen** counts pairs, not models; **named right** says that the module first
  named is the one that leaks, or in it; BART is given both its inputs as one sequence, of whose
  parts the structural probe names none. **Cost** is the median of CPU times, in forward passes of
  the same model.

## What each of them misses

Entries count the faults that are found, with a question mark those of which the answer is
*unknown*; – stands where a model has no mask to look at.

{by_kind.markdown()}

What passes through the masks that a model holds is a part of the faults, and inspection sees that
part for next to nothing. The audit sees what leaves the last position: leaks among other
positions, into the past beyond a window, or below its tolerance it cannot see. The Jacobian is
blind to what has no derivative: steps, rounding, `detach`, a gate that is closed where it looks.
Perturbation sees these where one of its changes opens them; a value that is rare, or a gate that
the *reader* opens, it does not. The structural probe reads the program instead of running into
the case; a branch of Python is the limit of what it reads, and it says so.

## False alarms

Here entries count clean models that are called leaking.

{false_alarms.markdown()}

Structure cannot know that `x - x` is zero, nor that the later half of a product of Fourier
transforms cancels, and it takes the positions gathered for an expert for all positions. Where the
Fourier transform or the backward pass of a cumulative sum cancels but for rounding, the numeric
methods see the rounding. `attnproof probe` therefore says *fails* only of what it has seen
numerically and more than rounding, and *unknown* of what only structure shows.

## By architecture

{by_architecture.markdown()}

The run: seed {data["seed"]}, {versions}.
"""


def _architectures(records: list[Mapping[str, Any]]) -> int:
    return len({each["architecture"] for each in records})


if __name__ == "__main__":
    main()
