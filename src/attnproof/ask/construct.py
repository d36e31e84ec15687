"""Which construction the options of ``interpolate`` name, and what it makes of the data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import causal, data, heads, prefixes, rationals
from attnproof.symbolic.interpolation.balance import Balanced, balanced
from attnproof.symbolic.interpolation.build import Construction, Mode, build

Constructed = Construction | causal.Causal | heads.Multihead


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for; the mode None is the one that the other options leave."""

    mode: str | None = None
    robust: bool = False
    stable: bool = False
    moves: int | None = None
    pad_to_claim: bool = False
    tau: object = None
    mask: str | None = None
    heads: int | None = None
    balance: bool = False


def construct(pairs: object, options: Options) -> tuple[str, Constructed, Balanced | None]:
    """The name of the data, the construction, and how its net was balanced.

    Raises :class:`InputError` for options that have no construction together, before the data is
    read.
    """
    mode = _mode(options)
    name, found = _read(pairs, ordered=options.mask is not None)
    made = _built(found, mode, options)
    if not options.balance:
        return name, made, None
    even = balanced(made.net)
    return name, replace(made, net=even.net), even


def _built(found: data.Data, mode: Mode, options: Options) -> Constructed:
    if options.mask is not None:
        return causal.build(found, robust=options.robust)
    if options.heads is not None:
        return heads.build(found, options.heads, robust=options.robust)
    return build(
        found,
        mode,
        robust=options.robust,
        stable=options.stable,
        moves=options.moves,
        pad_to_claim=options.pad_to_claim,
        tau=None if options.tau is None else _temperature(options.tau),
    )


def _mode(options: Options) -> Mode:
    default = Mode.UNIFORM if options.heads is None else Mode.LEADER
    try:
        mode = default if options.mode is None else Mode(options.mode)
    except ValueError:
        known = ", ".join(one.value for one in Mode)
        raise InputError(
            f"the mode is {options.mode!r}; choose one of {known}", mode=options.mode
        ) from None
    if options.mask not in (None, "causal"):
        raise InputError(
            f"the mask is {options.mask!r}; give causal, or none where every token reads all",
            mask=options.mask,
        )
    if options.mask is not None:
        _refuse(options, "with a causal mask", mode=options.mode, heads=options.heads)
    elif options.heads is not None:
        if mode is not Mode.LEADER:
            raise InputError(
                f"{options.heads} heads were asked for in the mode {mode.value}; each head is a "
                "query for a leader, so choose the mode leader"
            )
        _refuse(options, "with several heads")
    return mode


def _refuse(options: Options, place: str, **others: object) -> None:
    """Options that the construction does not have."""
    asked = {
        **others,
        "stable": options.stable or None,
        "moves": options.moves,
        "pad_to_claim": options.pad_to_claim or None,
        "tau": options.tau,
    }
    given = [name for name, value in asked.items() if value is not None]
    if given:
        raise InputError(
            f"{' and '.join(given)} {'were' if len(given) > 1 else 'was'} asked for {place}, whose "
            f"construction has robust and balance alone; leave {' and '.join(given)} out"
        )


def _temperature(tau: object) -> Fraction:
    try:
        return rationals.read(tau)
    except (ValueError, OverflowError):
        raise InputError(
            f'the temperature is {tau!r:.40}; give a rational above 0, such as "1/10"', tau=tau
        ) from None


def _read(pairs: object, *, ordered: bool) -> tuple[str, data.Data]:
    read = prefixes.read if ordered else data.read
    if isinstance(pairs, str | PathLike):
        return str(pairs), read(data.loaded(pairs))
    return "pairs" if not isinstance(pairs, Mapping) else "data", read(pairs)
