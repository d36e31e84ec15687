"""Masks for every length: what each promises, and with what is assumed of its parameters.

The masks of practice, with every parameter left open. Those that break their promise stand in
:mod:`attnproof.numeric.studies.length_faults`.
"""

from dataclasses import dataclass

from attnproof.symbolic.formula import Term, at, holds, ite, k, maximum, minimum, n, q, variable
from attnproof.symbolic.lengths.assumptions import Tensor, assumed
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Flow, Property, causal, documents, forbid
from attnproof.symbolic.named.registry import get


@dataclass(frozen=True)
class Case:
    """A mask, the property that it is meant to have, and whether it has it."""

    name: str
    problem: Problem
    promise: Property
    keeps: bool = True


def named(name: str, **parameters: object) -> Term:
    """The formula of a mask of the package."""
    mask = get(name)
    example = {key: value for key, value in mask.example.items() if key != "n"}
    return mask.formula(**{**example, **parameters})


keys, prefix, block, radius = map(variable, ("keys", "prefix", "block", "radius"))
stride, start, stop, gap, count = map(variable, ("stride", "start", "stop", "gap", "count"))
past = k <= q
same = at("ids", q).eq(at("ids", k))
near = q - k < keys
nothing = Flow("nothing", k < 0)


def clean(position: Term) -> Term:
    """The place of a position of either copy in the text."""
    return ite(position >= n, position - n, position)


def rank(position: Term) -> Term:
    """The rank of that place."""
    return at("rank", clean(position))


def _within(first: Term, last: Term) -> Term:
    """That the query and the key stand in one stretch of positions."""
    return (q >= first) & (q < last) & (k >= first) & (k < last)


noisy_sees_own = (q < n) & (k >= n) & ((k - n) // block >= q // block)
_noisy_sees_own_4 = (q < n) & (k >= n) & ((k - n) // 4 >= q // 4)
_stretch = _within(start, stop)
_ancestor = (at("entered", k) <= at("entered", q)) & (at("left", k) >= at("left", q))
_diffusion_4 = (
    (clean(q) // 4).eq(clean(k) // 4) & (q >= n).eq(k >= n)
    | (q < n) & (k >= n) & (clean(k) // 4 < clean(q) // 4)
    | (q >= n) & (k >= n) & (clean(k) // 4 <= clean(q) // 4)
)  # fmt: skip
_two_stream = (k >= n) & ite(q < n, rank(k) < rank(q), rank(k) <= rank(q))

CASES = (
    Case("causal", Problem.of(past), causal),
    Case("strictly causal", Problem.of(k < q), causal),
    Case("full", Problem.of(named("full")), nothing),
    Case("window", Problem.of(named("window"), least={"keys": 1}), causal),
    Case("window of 4 keys", Problem.of(past & (q - k < 4)), causal),
    Case(
        "two-sided window", Problem.of(named("bidirectional_window"), least={"radius": 0}), nothing
    ),
    Case(
        "sinks and window",
        Problem.of(named("sink_window"), least={"sinks": 0, "keys": 1}),
        causal,
    ),
    Case(
        "prefix",
        Problem.of(named("prefix_lm"), least={"prefix": 0}),
        forbid((k > q) & (k >= prefix)),
    ),
    Case("left padding", Problem.of(named("left_padded"), least={"padding": 0}), causal),
    Case("padding", Problem.of(named("padded")), forbid(~holds("real", k) & k.ne(q))),
    Case("documents", Problem.of(named("documents")), documents("ids")),
    Case(
        "documents in full",
        Problem.of(named("documents", causal=False)),
        documents("ids"),
    ),
    Case(
        "documents of a batch",
        Problem.of(
            past & at("ids", variable("b"), q).eq(at("ids", variable("b"), k)),
            shapes={"ids": (variable("batches"), n)},
            requires=[variable("b") < variable("batches")],
        ),
        forbid((k > q) | at("ids", variable("b"), q).ne(at("ids", variable("b"), k))),
    ),
    Case(
        "documents and window",
        Problem.of(past & same & near, least={"keys": 1}, assume={"ids": "nondecreasing"}),
        documents("ids"),
    ),
    Case(
        "documents with prefixes",
        Problem.of(
            named("prefix_documents"),
            shapes={"starts": (count,), "prefixes": (count,)},
            least={"count": 1},
            assume={"ids": "nondecreasing"},
            laws=[assumed("bounded", Tensor("ids", (n,)), 0, count)],
        ),
        documents("ids"),
    ),
    Case(
        "a first token that all documents read",
        Problem.of(past & (same | k.eq(0)), assume={"ids": "nondecreasing"}),
        forbid((k > q) | (at("ids", q).ne(at("ids", k)) & k.ne(0))),
    ),
    Case(
        "shared prefix",
        Problem.of(named("shared_prefix"), least={"prefix": 0}),
        forbid((k > q) | ((k >= prefix) & at("branch", q).ne(at("branch", k)))),
    ),
    Case("chunks", Problem.of(named("chunked"), least={"chunk": 1}), causal),
    Case(
        "chunks of 128", Problem.of(past & (q // 128).eq(k // 128)), forbid((q // 128).ne(k // 128))
    ),
    Case(
        "block causal",
        Problem.of(named("block_causal"), least={"block": 1}),
        forbid(k // block > q // block),
    ),
    Case(
        "block causal, by ends",
        Problem.of(k < (q // block + 1) * block, least={"block": 1}),
        forbid(k // block > q // block),
    ),
    Case("strided", Problem.of(named("strided"), least={"stride": 1}), causal),
    Case("strided by 8", Problem.of(past & ((q - k < 8) | ((q - k) % 8).eq(0))), causal),
    Case(
        "fixed",
        Problem.of(
            named("fixed"),
            least={"stride": 1, "summary": 1},
            requires=[variable("summary") <= stride],
        ),
        causal,
    ),
    Case(
        "every second of 6",
        Problem.of(past & (q - k <= 6) & ((q - k) % 2).eq(0)),
        forbid(((q - k) % 2).eq(1)),
    ),
    Case(
        "dilated by 3",
        Problem.of(past & (q - k <= keys) & ((q - k) % 3).eq(0), least={"keys": 3}),
        forbid(((q - k) % 3).ne(0)),
    ),
    Case(
        "dilated",
        Problem.of(
            past & (q - k <= keys) & ((q - k) % gap).eq(0), least={"gap": 1}, requires=[keys >= gap]
        ),
        forbid(((q - k) % gap).ne(0)),
    ),
    Case(
        "comb",
        Problem.of(named("comb"), least={"radius": 0}),
        forbid(((q - k) % (2 * radius + 1)).ne(0)),
    ),
    Case("block diffusion by 4", Problem.of(_diffusion_4, size=2 * n), forbid(_noisy_sees_own_4)),
    Case(
        "block diffusion",
        Problem.of(named("block_diffusion"), size=2 * n, least={"block": 1}),
        forbid(noisy_sees_own),
    ),
    Case(
        "two streams",
        Problem.of(_two_stream, size=2 * n, shapes={"rank": (n,)}, assume={"rank": "permutation"}),
        forbid((q < n) & (k >= n) & (rank(k) >= rank(q))),
    ),
    Case(
        "two chains and centres",
        Problem.of(named("butterfly"), size=3 * n - 2),
        forbid((q >= 2 * n - 2) & ((k.eq(q - n + 1)) | k.eq(q - 2 * n + 2)) & (k < 0)),
    ),
    Case(
        "crown",
        Problem.of(named("crown"), size=2 * n),
        forbid((q >= n) & k.eq(q - n)),
    ),
    Case(
        "permuted order",
        Problem.of(named("perm"), assume={"rank": "injective"}),
        forbid(at("rank", k) > at("rank", q)),
    ),
    Case(
        "tree",
        Problem.of(_ancestor, assume={"entered": "injective", "left": "injective"}),
        forbid(~_ancestor),
    ),
    Case(
        "parents only",
        Problem.of(k.eq(q) | k.eq(at("up", q)), assume={"up": "nonnegative"}, requires=[]),
        nothing,
    ),
    Case(
        "two-sided stretch",
        Problem.of(past | _stretch, least={"start": 0}, requires=[start <= stop, stop <= n]),
        forbid((k > q) & ~_stretch),
    ),
    Case(
        "two-sided spans",
        Problem.of(named("spans"), assume={"span": "contiguous"}),
        nothing,
    ),
    Case(
        "local and global",
        Problem.of(
            (abs(q - k) <= radius) | holds("everywhere", q) | holds("everywhere", k),
            least={"radius": 1},
        ),
        nothing,
    ),
    Case(
        "local and global, causal",
        Problem.of(past & ((q - k <= radius) | holds("everywhere", k)), least={"radius": 0}),
        causal,
    ),
    Case(
        "first tokens everywhere",
        Problem.of(named("global_window"), least={"global_tokens": 1, "radius": 0}),
        nothing,
    ),
    Case(
        "neighbourhood",
        Problem.of(named("neighborhood"), least={"radius": 0}, requires=[n >= 2 * radius + 1]),
        nothing,
    ),
    Case(
        "clamped window",
        Problem.of(past & (k >= maximum(0, minimum(q, n - 1) - keys + 1)), least={"keys": 1}),
        causal,
    ),
    Case(
        "encoder and decoder",
        Problem.of(named("encoder_decoder"), least={"encoder": 0}),
        forbid((k > q) & (k >= variable("encoder"))),
    ),
    Case(
        "masked autoencoder",
        Problem.of(named("masked_autoencoder")),
        forbid(holds("visible", q) & ~holds("visible", k)),
    ),
    Case(
        "jumps by 6 and 10", Problem.of((q - k).eq(6) | (q - k).eq(10)), forbid(((q - k) % 2).eq(1))
    ),
    Case(
        "jumps by 6, 10 and 15",
        Problem.of((q - k).eq(6) | (q - k).eq(10) | (q - k).eq(15)),
        forbid((q - k).eq(29)),
    ),
    Case(
        "local and global layers in turn",
        Problem.of([past & near, past & (q % 4).eq(0)], least={"keys": 1}),
        causal,
    ),
    Case(
        "four heads",
        Problem.of(past & (q - k < (variable("h") + 1) * keys), least={"keys": 1}, heads=4),
        causal,
    ),
    Case("subsets of bits", Problem.of((q & k).eq(k)), causal),
    Case("one bit cleared", Problem.of((q & k).eq(k) & ((q ^ k) & ((q ^ k) - 1)).eq(0)), causal),
    Case("Fenwick tree", Problem.of(named("fenwick")), causal),
    Case("powers of two", Problem.of(named("log_sparse")), causal),
)
