"""NamedMask: a family of masks, as a formula over ``q`` and ``k`` and as intervals of each row.

``n`` counts tokens; a mask of several streams has more positions than tokens.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.formula import Term, mask_mod_source
from attnproof.symbolic.masks.forms import FEW, LARGE, MANY, SMALL, gathered
from attnproof.symbolic.masks.made import Made
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import RowRuns, Rows
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.named.intervals import Intervals, side_by_side
from attnproof.symbolic.named.kinds import Kind, at_least

#: Runs that are held; rows of more in all are made as they are asked for.
HELD = 1 << 22
#: About so many runs are made at once.
PORTION = 1 << 19


class _Required:
    def __repr__(self) -> str:
        return "required"


#: The default of a parameter that must be given. A default of None is "not given".
REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword of a named mask: ``doc`` is one line, ``kind`` what its value may be."""

    name: str
    doc: str
    kind: Kind
    default: object = REQUIRED


@dataclass(frozen=True)
class NamedMask:
    """The mask ``name`` for every length and parameters.

    ``definition`` is the formula, or gives it for the parameters that choose one; its variables
    and captured tensors have the values of :meth:`values`. ``row_runs(n, **params)`` yields the
    rows as maximal intervals. ``tokens(n, **params)`` is the length that the parameters fix, or
    None; ``check(n, **params)`` raises :class:`ParameterError` for what no single kind can see.

    ``intervals(q, n, **params)`` gives the rows ``q``, an array, at once, as a few intervals whose
    ends are arrays or numbers; they may overlap, touch, be empty or stick out. It may also be the
    rows themselves, or None where neither can be. ``scattered`` gives any rows ``q`` so, for masks
    of many runs: they are made in portions. ``density(n, **params)`` is about how many runs a row
    has on average; few where it is not given.

    >>> from attnproof.symbolic.named.registry import get
    >>> get("window").formula(keys=4)
    k <= q and q - k < keys
    >>> get("window").mask(n=4, keys=2)
    Mask 4×4 (row = query)
    #···
    ##··
    ·##·
    ··##

    Law: the formula at ``q``, ``k`` is true exactly where ``k`` is in row ``q``.
    """

    name: str
    doc: str
    source: str
    definition: Term | Callable[..., Term]
    row_runs: Callable[..., Iterator[RowRuns]]
    example: Mapping[str, Any]
    parameters: tuple[Parameter, ...] = ()
    size: Callable[..., int] | None = None
    tokens: Callable[..., int | None] | None = None
    captured: Callable[..., Mapping[str, Any]] | None = None
    check: Callable[..., None] | None = None
    intervals: Callable[..., Intervals | Runs | None] | None = None
    scattered: Callable[..., Intervals] | None = None
    density: Callable[..., float] | None = None
    positions_doc: str = field(default="one position a token")

    def mask(self, n: int | None = None, **params: Any) -> Mask:
        """The mask for ``n`` tokens.

        Raises :class:`ParameterError` for what does not fit, :class:`ShapeError` beyond 65536
        positions for rows of more than 64 runs on average.
        """
        n, values = self.resolve(n, params)
        size = self._size(n, values)
        if size > LARGE:
            self._check_density(n, values)
        rows = self._at_once(n, size, values) if size > SMALL else None
        if rows is None:
            rows = gathered(self.row_runs(n, **values), size, size, self.name)
        return Mask.of(rows, name=self.name)

    def runs(self, n: int | None = None, **params: Any) -> Iterator[RowRuns]:
        """The rows as maximal intervals, one after the other: O(rows) for masks of few runs."""
        n, values = self.resolve(n, params)
        return self.row_runs(n, **values)

    def positions(self, n: int | None = None, **params: Any) -> int:
        """How many positions, hence rows and keys, the mask has."""
        return self._size(*self.resolve(n, params))

    def formula(self, **params: Any) -> Term:
        """The formula, with parameters and captured tensors by name."""
        if isinstance(self.definition, Term):
            return self.definition
        return self.definition(**self._read(params))

    def values(self, n: int | None = None, **params: Any) -> dict[str, Any]:
        """What the names in the formula stand for: ``n``, parameters, captured tensors.

        >>> from attnproof.symbolic.named.registry import get
        >>> get("documents").values(lengths=[2, 1])
        {'n': 3, 'ids': (0, 0, 1)}
        """
        n, given = self.resolve(n, params)
        numbers = {
            name: value
            for name, value in given.items()
            if isinstance(value, int) and not isinstance(value, bool)
        }
        more = self.captured(n, **given) if self.captured else {}
        return {"n": n, **numbers, **more}

    def pieces(self) -> dict[str, Term]:
        """The named parts of the formula, as its module names them, in order."""
        module = import_module(f"attnproof.symbolic.named.{self.name}")
        return {name: part for name, part in vars(module).items() if isinstance(part, Term)}

    def mask_mod_source(self, n: int | None = None, **params: Any) -> str:
        """The mask as the text of a FlexAttention ``mask_mod`` for these parameters.

        >>> from attnproof.symbolic.named.registry import get
        >>> print(get("window").mask_mod_source(n=16, keys=4))
        # A query reads the last `keys` tokens, itself included.
        # Query q reads key k where: k <= q and q - k < keys
        <BLANKLINE>
        keys = 4
        <BLANKLINE>
        <BLANKLINE>
        def window(b, h, q, k):
            past = k <= q
            near = q - k < keys
            return past & near
        <BLANKLINE>
        """
        values, term = self.values(n, **params), self.formula(**params)
        return mask_mod_source(self.name, term, values, doc=self.doc, pieces=self.pieces())

    def resolve(self, n: int | None, params: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The length and every parameter, checked, defaults filled in."""
        values = self._read(params)
        if n is not None:
            try:
                n = at_least(1).read(n)
            except ValueError:
                raise ParameterError(
                    f"{self.name}: n is {n!r}; give the number of tokens, an integer of at least 1",
                    n=n,
                ) from None
        fixed = self.tokens(n, **values) if self.tokens else n
        if fixed is None:
            raise ParameterError(
                f"{self.name} needs n, the number of tokens: give n=16, on the command line --n 16",
                name=self.name,
            )
        if n is not None and n != fixed:
            raise ParameterError(
                f"{self.name}: n is {n}, but the parameters are for {fixed} tokens; leave n out "
                "or make them agree",
                n=n,
                fixed=fixed,
            )
        if fixed < 1:
            raise ParameterError(
                f"{self.name}: the parameters describe no token; describe one or more", n=fixed
            )
        if self.check:
            self.check(fixed, **values)
        return fixed, values

    def _at_once(self, n: int, size: int, values: Mapping[str, Any]) -> Rows | None:
        if not all(map(_fits, values.values())):
            return None
        import numpy as np

        if self.scattered is not None:
            return self._in_portions(self.scattered, n, size, values)
        if self.intervals is None:
            return None
        q = np.arange(size)
        found = self.intervals(q, n, **values)
        return found if found is None or isinstance(found, Runs) else side_by_side(q, found, size)

    def _in_portions(
        self, scattered: Callable[..., Intervals], n: int, size: int, values: Mapping[str, Any]
    ) -> Rows | None:
        """Rows of few runs held, of more made as they are asked for; None where bit sets serve."""
        import numpy as np

        runs = self._density(n, values)
        if runs > FEW and size <= LARGE:
            return None

        def make(first: int, stop: int) -> Runs:
            q = np.arange(first, stop)
            return side_by_side(q, scattered(q, n, **values), size)

        made = Made(make, size, size, step=max(1, int(PORTION / max(runs, 1))))
        return made.as_runs() if runs * size <= HELD else made

    def _density(self, n: int, values: Mapping[str, Any]) -> float:
        return self.density(n, **values) if self.density else 1

    def _check_density(self, n: int, values: Mapping[str, Any]) -> None:
        """Refuse rows of many runs at a length for which bit sets are too large."""
        runs = self._density(n, values)
        if runs <= MANY:
            return

        def fits(n: int) -> bool:
            return self._size(n, values) <= LARGE or self._density(n, values) <= MANY

        fixed = self.tokens is not None and self.tokens(None, **values) is not None
        if fixed or any(isinstance(value, tuple) for value in values.values()):
            way_out = f"give parameters for at most {LARGE} positions"
        else:
            most = bisect_left(range(n), True, lo=1, key=lambda n: not fits(n)) - 1
            way_out = f"with these parameters give n of at most {most}"
        raise ShapeError(
            f"{self.name} at n = {n} has {runs:.0f} runs a row on average, and beyond {LARGE} "
            f"positions at most {MANY} are read; {way_out}",
            n=n,
            runs=runs,
        )

    def _size(self, n: int, values: Mapping[str, Any]) -> int:
        return self.size(n, **values) if self.size else n

    def _read(self, params: Mapping[str, Any]) -> dict[str, Any]:
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in params:
            if name not in known:
                takes = f"it takes {', '.join(known)}" if known else "it takes none but n"
                raise ParameterError(f"{self.name} has no parameter {name!r}; {takes}", name=name)
        return {name: self.value(known[name], params.get(name)) for name in known}

    def value(self, parameter: Parameter, given: Any) -> Any:
        """What a parameter is when it is given so; None is its default.

        Raises :class:`ParameterError` for one that is required or out of range.
        """
        if given is None:
            if parameter.default is REQUIRED:
                raise ParameterError(
                    f"{self.name} needs {parameter.name} ({parameter.doc}), "
                    f"{parameter.kind.words}: give {parameter.name}=..., on the command line "
                    f"--param {parameter.name}=...",
                    name=parameter.name,
                )
            return parameter.default
        try:
            return parameter.kind.read(given)
        except ValueError:
            shown = repr(given).replace("\n", " ")
            shown = shown if len(shown) <= 40 else shown[:37] + "..."
            raise ParameterError(
                f"{self.name}: {parameter.name} is {shown}; give {parameter.kind.words} "
                f"({parameter.doc})",
                name=parameter.name,
                value=given,
            ) from None


def _fits(value: object) -> bool:
    """Whether the product of two, sums with positions included, fits 64 bits."""
    if isinstance(value, tuple):
        return all(map(_fits, value))
    return not isinstance(value, int) or abs(value) < 1 << 30


def require(holds: bool, message: str, **parts: object) -> None:
    """Raise :class:`ParameterError` unless the condition holds."""
    if not holds:
        raise ParameterError(message, **parts)
