"""A mask_mod of FlexAttention as a formula: the rule is run once on indices that are names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnproof.numeric.read.signature import Kind, call_factory, kind_of
from attnproof.numeric.read.torch_scalars import has_torch
from attnproof.numeric.read.user_code import user_code
from attnproof.numeric.trace.agreement import agree
from attnproof.numeric.trace.assumptions import read_assumptions
from attnproof.numeric.trace.captured import Mode, Registry
from attnproof.numeric.trace.gathering import gathered
from attnproof.numeric.trace.refusal import TraceError, enter_user_code
from attnproof.numeric.trace.session import Session, explore, running
from attnproof.numeric.trace.traced import Traced, sizes_of
from attnproof.symbolic.errors import InputError, MissingExtra, ParameterError
from attnproof.symbolic.formula import INDICES, Like, Term, constant, n, variable, variables

#: The most paths that ``split`` follows.
PATHS = 256


def trace(
    mask_mod: Callable[..., Any],
    *,
    split: bool = False,
    captured: Mode | None = None,
    assumptions: Mapping[str, str | Sequence[str]] | None = None,
    symbolic: Sequence[str] | Mapping[str, Like] = (),
    params: Mapping[str, object] | None = None,
    length: int | None = None,
    name: str | None = None,
) -> Traced:
    """The formula of ``mask_mod(b, h, q_idx, kv_idx)``, or of what a factory returns.

    >>> def make(keys):
    ...     return lambda b, h, q, k: (k <= q) & (q - k < keys)
    >>> trace(make, symbolic=["keys"], name="window")
    window(b, h, q, k) = k <= q and q - k < keys

    ``symbolic`` names parameters of the factory that stand for every integer of at least 1, or
    gives them formulas, as in ``{"length": n}``; ``params`` gives the others values. Captured
    tensors have their values (``captured="concrete"``), or only their names and the
    ``assumptions`` made of them (``"abstract"``); by default those are abstract of which something
    is assumed. An axis of an abstract tensor that ``q`` or ``k`` indexes, or one of ``length``
    elements, has the size ``n``. Integers are unbounded; torch computes with 32 or 64 bits.

    ``split`` follows both branches of an ``if``. Without it, and always for what needs one value,
    :class:`TraceError` names the line. The formula is compared with ``torch.vmap`` of the rule
    before it is returned: a difference is a :class:`TraceError` that names the first pair.
    """
    if not has_torch():
        raise MissingExtra("tracing a mask_mod", "torch")
    name = name or str(getattr(mask_mod, "__name__", type(mask_mod).__name__))
    values = _symbols(symbolic)
    given = dict(params or {})
    if twice := sorted(set(values) & set(given)):
        raise ParameterError(f"the parameter {twice[0]} is symbolic and has a value; choose one")
    factory = bool(values or given) or _kind(mask_mod, name) is Kind.FACTORY
    names = sorted(frozenset().union(*map(variables, values.values())) - {"n"})
    facts = [variable(x) >= 0 for x in INDICES] + [x >= 1 for x in (n, *map(variable, names))]

    def build(concrete: Mapping[str, object]) -> Callable[..., Any]:
        if not factory:
            return mask_mod
        made = call_factory(mask_mod, {**given, **concrete}, name)
        if not callable(made):
            raise InputError(f"{name} returned a {type(made).__name__}; a mask_mod was needed")
        _kind(made, f"what {name} returns")
        return made

    def run(script: Sequence[bool]) -> Session:
        registry = Registry(captured, tuple(assumptions or ()), length)
        session = Session(registry, facts, split, script)
        with running(session), user_code(name):
            session.answer = _run(session, build, values)
        return session

    sessions = list(explore(run, PATHS))
    found = gathered(sessions, names)
    sizes = sizes_of(found.tensors)
    laws = read_assumptions(assumptions or {}, found.tensors, sizes)
    agreed = agree(name, found, build, values, mask_mod)
    return Traced(
        name,
        found.term,
        found.paths,
        found.requires,
        found.obligations,
        found.tensors,
        tuple(names),
        laws,
        found.notes,
        agreed,
    )


def _run(
    session: Session,
    build: Callable[[Mapping[str, object]], Callable[..., Any]],
    values: Mapping[str, Term],
) -> Term:
    """The formula that the rule returns on one path."""
    import torch

    from attnproof.numeric.trace.dispatch import Tracing
    from attnproof.numeric.trace.value import Symbolic, lift

    with Tracing():
        rule = build({x: Symbolic(term, torch.int64) for x, term in values.items()})
    session.registry.take(rule)
    with Tracing():
        answer = enter_user_code(rule, *(Symbolic(variable(x), torch.int64) for x in INDICES))
        if not isinstance(answer, (Symbolic, torch.Tensor, bool)):
            _wrong(type(answer).__name__)
        result = lift(answer)
        if result.dtype is not torch.bool or result.shape != ():
            _wrong(f"a tensor of shape {tuple(result.shape)} and {result.dtype}")
        return result.term


def _wrong(kind: str) -> None:
    raise TraceError(f"the rule returns {kind}; a mask_mod returns one Boolean for each pair")


def _kind(function: Callable[..., Any], name: str) -> Kind:
    kind = kind_of(function, name)
    if kind is Kind.SCORE_MOD:
        raise InputError(
            f"{name} is a score_mod; only a mask_mod has a formula: write what it blocks as a "
            "mask_mod of four arguments"
        )
    return kind


def _symbols(symbolic: Sequence[str] | Mapping[str, Like]) -> dict[str, Term]:
    """The formula of each symbolic parameter."""
    if isinstance(symbolic, Mapping):
        return {name: constant(value) for name, value in symbolic.items()}
    names = [symbolic] if isinstance(symbolic, str) else symbolic
    return {x: variable(f"{x}_" if x in INDICES else x) for x in names}
