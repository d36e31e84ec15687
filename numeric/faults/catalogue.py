"""The models of the fault study: architectures times kinds of change, drawn from a seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from attnproof.numeric.faults.cached import CACHED
from attnproof.numeric.faults.convolution import CONVOLUTION
from attnproof.numeric.faults.decoders import GPT2, LLAMA, MISTRAL
from attnproof.numeric.faults.encoders import BART, BERT
from attnproof.numeric.faults.experts import EXPERTS_MIXED
from attnproof.numeric.faults.harmless import POINTWISE, PROMISED
from attnproof.numeric.faults.kinds import Architecture, Kind
from attnproof.numeric.faults.leaks import LEAKS
from attnproof.numeric.faults.linear import LINEAR
from attnproof.numeric.faults.mamba import MAMBA
from attnproof.numeric.faults.softmax import SOFTMAX
from attnproof.numeric.faults.specimen import Specimen
from attnproof.numeric.faults.token_shift import TOKEN_SHIFT

ARCHITECTURES: dict[str, Architecture] = {
    each.name: each
    for each in (
        SOFTMAX,
        CACHED,
        GPT2,
        LLAMA,
        MISTRAL,
        BERT,
        BART,
        MAMBA,
        LINEAR,
        CONVOLUTION,
        EXPERTS_MIXED,
        TOKEN_SHIFT,
    )
}
#: How many models have each fault that only one architecture can have.
COPIES = 2
#: How many of the general leaks each architecture has in a quick study.
FEW = 2
AS_MADE = "as made"


@dataclass(frozen=True, slots=True)
class Chosen:
    """One model of the study; ``leaks`` says that it breaks its promise."""

    architecture: str
    kind: str
    layer: int
    seed: int
    leaks: bool


def faults(seed: int, quick: bool = False) -> list[Chosen]:
    """Every architecture with each of its own faults and a third of the general leaks, in turn."""
    chosen = []
    for place, architecture in enumerate(ARCHITECTURES.values()):
        own = [kind for kind in architecture.own if kind.leaks]
        if quick:
            general = islice(cycle(LEAKS), FEW * place, FEW * (place + 1))
            kinds = [own[seed % len(own)], *general]
        else:
            kinds = [*own * COPIES, *LEAKS[place % 3 :: 3]]
        chosen += [_chosen(architecture, kind, seed, copy) for copy, kind in enumerate(kinds)]
    return chosen


def clean(seed: int, quick: bool = False) -> list[Chosen]:
    """As many models that keep their promise, some after a change that looks like a leak."""
    counts: dict[str, int] = {}
    for fault in faults(seed, quick):
        counts[fault.architecture] = counts.get(fault.architecture, 0) + 1
    chosen = []
    for name, count in counts.items():
        architecture = ARCHITECTURES[name]
        kinds = islice(_harmless(architecture, seed if quick else 0), count)
        chosen += [_chosen(architecture, kind, seed, copy) for copy, kind in enumerate(kinds)]
    return chosen


def made(chosen: Chosen) -> Specimen:
    """The model, with what it promises and what it reads."""
    architecture = ARCHITECTURES[chosen.architecture]
    specimen = architecture.build(chosen.seed)
    if chosen.kind == AS_MADE:
        return specimen
    kind = next(each for each in _kinds(architecture) if each.name == chosen.kind)
    return kind.change(specimen, chosen.layer, Random(f"{chosen}"))


def _kinds(architecture: Architecture) -> Iterator[Kind]:
    yield from (*architecture.own, *LEAKS, *POINTWISE, *PROMISED)


def _harmless(architecture: Architecture, first: int) -> Iterator[Kind | None]:
    """Every harmless change that the architecture can have, then unchanged models without end."""
    own = [kind for kind in architecture.own if not kind.leaks]
    changes: Sequence[Kind] = (*own, *POINTWISE, *(PROMISED if architecture.closed else ()))
    yield from (*changes[first % len(changes) :], *changes[: first % len(changes)])
    while True:
        yield None


def _chosen(architecture: Architecture, kind: Kind | None, seed: int, copy: int) -> Chosen:
    name = AS_MADE if kind is None else kind.name
    draw = Random(f"{seed}, {architecture.name}, {name}, {copy}")
    layers = (kind and kind.layers) or architecture.layers
    leaks = kind is not None and kind.leaks
    return Chosen(architecture.name, name, draw.choice(layers), draw.getrandbits(16), leaks)
