"""A ``mask_mod`` or ``score_mod``, evaluated on every pair of query and key.

Convention: indices are integer scalars, as in FlexAttention: ``torch.vmap`` maps over key, query,
head and batch, innermost first. Where it cannot, the rule is called pair by pair. A ``score_mod``
is given the score 0 and blocks where it returns -inf, there alone.
"""

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attnproof.numeric.read.signature import Kind
from attnproof.numeric.read.torch_scalars import device_of, has_torch, index_by_tensors, maker
from attnproof.numeric.read.user_code import described, user_code
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.verdict import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int64]

#: Pairs (head, query, key) in one call under vmap, and the most that are called one by one.
CHUNK = 1 << 20
PAIRS = 1 << 24
#: The greatest length at which every pair is evaluated.
LENGTH = 1 << 15


class Rule:
    """A rule of the user on pairs.

    >>> Rule(lambda b, h, q, k: q >= k, Kind.MASK_MOD, "rule").at(0, 0, 2, 1)
    True
    """

    def __init__(self, function: Callable[..., Any], kind: Kind, name: str) -> None:
        self.function = function
        self.kind = kind
        self.name = name
        #: Why vmap could not evaluate the rule; None while it can.
        self.by_pairs: str | None = None if has_torch() else "torch is not installed"
        self.device = device_of(function)
        #: How many pairs will be asked for in all: too many are not called one by one.
        self.pairs = 0
        self.finite = 0.0  # the least score returned that does not block

    def dense(self, batch: int, heads: range, queries: range, keys: int) -> "NDArray[np.bool_]":
        """The answers ``(head, query, key)`` for one batch element.

        Raises :class:`InputError` when the rule raises, or returns no Boolean (no score).
        """
        import numpy as np

        indices = (np.arange(batch, batch + 1), np.array(heads), np.array(queries), np.arange(keys))
        shape = (1, len(heads), len(queries), keys)
        answers = self._vectorised(indices, ((3,), (2,), (1,), (0,)), shape)
        if answers is not None:
            own: NDArray[np.bool_] = answers[0]
            return own
        corners = {(q, k) for q in (queries[0], queries[-1]) for k in (0, keys - 1)}
        # A rule that fails at every length fails here, before a long loop.
        for q, k in sorted(corners):
            self.at(batch, heads[0], q, k)
        return self._one_by_one(batch, heads, [queries] * len(heads), [range(keys)] * len(heads))

    def tiles(
        self, batch: int, heads: "Indices", queries: "Indices", keys: "Indices"
    ) -> "NDArray[np.bool_]":
        """The answers ``(tile, query, key)`` for one batch element: tile ``t`` has the queries
        ``queries[t]`` and the keys ``keys[t]`` of the head ``heads[t]``.

        >>> import numpy as np
        >>> rule = Rule(lambda b, h, q, k: q >= k, Kind.MASK_MOD, "rule")
        >>> rule.tiles(0, np.array([0]), np.array([[2, 3]]), np.array([[3, 4]])).tolist()
        [[[False, False], [True, False]]]
        """
        import numpy as np

        shape = (len(heads), queries.shape[1], keys.shape[1])
        indices = (np.array(batch), heads, queries, keys)
        answers = self._vectorised(indices, ((3,), (2,), (1, 2, 3)), shape)
        if answers is not None:
            return answers
        self.at(batch, int(heads[-1]), int(queries[-1, -1]), int(keys[-1, -1]))
        return self._one_by_one(batch, heads.tolist(), queries.tolist(), keys.tolist())

    def at(self, batch: int, head: int, q: int, k: int) -> bool:
        """The answer for one pair, by calling the rule for it alone."""
        given = tuple(map(maker(self.device), (batch, head, q, k)))
        with self.calling():
            return self._called(given, q, k)

    @contextlib.contextmanager
    def calling(self) -> Iterator[None]:
        """What the rule prints stays off stdout; a division by zero raises, in numpy too."""
        import numpy as np

        with contextlib.redirect_stdout(sys.stderr), np.errstate(divide="raise"):
            yield

    def note(self) -> Finding | None:
        """A finding when the rule was called pair by pair."""
        if self.by_pairs is None:
            return None
        return Finding(
            "unreadable_under_vmap",
            f"{self.name} cannot be evaluated under torch.vmap ({self.by_pairs}); it was called "
            "pair by pair",
            severity="note",
        )

    def _vectorised(
        self,
        indices: "Sequence[Indices]",
        levels: Sequence[tuple[int, ...]],
        shape: tuple[int, ...],
    ) -> "NDArray[np.bool_] | None":
        """The answers under vmap, which maps the indices of each level together, innermost first;
        None where vmap cannot evaluate the rule."""
        if self.by_pairs is not None:
            return None
        try:
            with user_code(self.name):
                return self._judge(self._mapped(indices, levels, shape))
        except _NotMapped as error:
            self.by_pairs = error.reason
            return None

    def _mapped(
        self,
        indices: "Sequence[Indices]",
        levels: Sequence[tuple[int, ...]],
        shape: tuple[int, ...],
    ) -> Any:
        import torch

        given = [torch.as_tensor(x, device=self.device) for x in indices]
        mapped, score = self.function, tuple[Any, ...]()
        if self.kind is Kind.SCORE_MOD:
            score = (torch.zeros(shape, device=self.device),)
        for level in levels:
            own = tuple(0 if x in level else None for x in range(4))
            mapped = torch.vmap(mapped, in_dims=(0,) * len(score) + own)
        try:
            with torch.no_grad(), index_by_tensors(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*batching rule")
                result = mapped(*score, *given)
        except Exception as error:
            raise _NotMapped(described(error)) from None
        if not isinstance(result, torch.Tensor):
            raise _NotMapped(f"it returns a {type(result).__name__}")
        if tuple(result.shape) != shape:
            raise InputError(self._wrong(f"a tensor of shape {tuple(result.shape)[len(shape) :]}"))
        return result

    def _judge(self, result: Any) -> "NDArray[np.bool_]":
        """Booleans from what the rule returned."""
        import torch

        if self.kind is Kind.MASK_MOD:
            if result.dtype is not torch.bool:
                raise InputError(self._wrong(str(result.dtype)))
            flags: NDArray[np.bool_] = result.cpu().numpy()
            return flags
        if not result.dtype.is_floating_point:
            raise InputError(self._wrong(str(result.dtype)))
        if torch.isnan(result).any():
            raise InputError(f"{self.name} returns NaN for the score 0; return a score or -inf")
        read = ~torch.isneginf(result)
        if read.any():
            self.finite = min(self.finite, float(result[read].min()))
        kept: NDArray[np.bool_] = read.cpu().numpy()
        return kept

    def _one_by_one(
        self,
        batch: int,
        heads: Sequence[int],
        queries: Sequence[Sequence[int]],
        keys: Sequence[Sequence[int]],
    ) -> "NDArray[np.bool_]":
        import numpy as np

        self._guard()
        wrap = maker(self.device)
        answers = np.zeros((len(heads), len(queries[0]), len(keys[0])), dtype=np.bool_)
        with self.calling():
            for i, head in enumerate(heads):
                columns = [wrap(k) for k in keys[i]]
                for j, q in enumerate(queries[i]):
                    row = (wrap(batch), wrap(head), wrap(q))
                    for m, k in enumerate(keys[i]):
                        answers[i, j, m] = self._called((*row, columns[m]), q, k)
        return answers

    def _guard(self) -> None:
        if self.pairs > PAIRS:
            raise ShapeError(
                f"{self.name} cannot be evaluated under torch.vmap ({self.by_pairs}) and has "
                f"{self.pairs} pairs, more than the {PAIRS} that are called one by one; write it "
                "without if, not, and, or, .item(), or give a smaller n",
                pairs=self.pairs,
            )

    def _called(self, given: Sequence[Any], q: int, k: int) -> bool:
        score: tuple[object, ...] = ()
        if self.kind is Kind.SCORE_MOD:
            score = (maker(self.device)(0.0),)
        try:
            answer = self.function(*score, *given)
        except (Exception, SystemExit) as error:
            hint = ""
            if isinstance(error, IndexError):
                hint = f"; is a captured tensor shorter than n{self._short(*given[:2])}?"
            raise InputError(
                f"{self.name} raised {described(error)} at query {q}, key {k}{hint}", query=q, key=k
            ) from None
        return self._truth(answer, q, k)

    @staticmethod
    def _short(batch: Any, head: Any) -> str:
        """What else a captured tensor may have too few of."""
        few = [
            f"has it fewer than {int(index) + 1} {of}"
            for index, of in ((batch, "batch elements"), (head, "heads"))
            if int(index) > 0
        ]
        return "".join(f", or {each}" for each in few)

    def _truth(self, answer: Any, q: int, k: int) -> bool:
        kind = type(answer).__name__
        if hasattr(answer, "dtype") and hasattr(answer, "item"):
            if getattr(answer, "ndim", 0):
                raise InputError(self._wrong(f"an array of shape {tuple(answer.shape)}"))
            kind, answer = str(answer.dtype), answer.item()
        if self.kind is Kind.MASK_MOD:
            if not isinstance(answer, bool):
                raise InputError(self._wrong(kind), query=q, key=k)
            return answer
        if isinstance(answer, bool) or not isinstance(answer, (int, float)):
            raise InputError(self._wrong(kind), query=q, key=k)
        if answer != answer:
            raise InputError(f"{self.name} returns NaN for the score 0; return a score or -inf")
        if answer == float("-inf"):
            return False
        self.finite = min(self.finite, answer)
        return True

    def _wrong(self, kind: str) -> str:
        if self.kind is Kind.MASK_MOD:
            return f"{self.name} returns {kind}; a mask_mod returns one Boolean for each pair"
        return f"{self.name} returns {kind}; a score_mod returns one score for each pair"


class _NotMapped(InputError):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def united(answers: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
    """Answers ``(head, query, key)`` with the heads united."""
    import numpy as np

    flags: NDArray[np.bool_] = np.logical_or.reduce(answers)
    return flags


def parts(heads: int, queries: int, keys: int) -> Iterator[range]:
    """Ranges of queries that are evaluated at once."""
    step = max(1, CHUNK // (heads * keys))
    for start in range(0, queries, step):
        yield range(start, min(start + step, queries))
