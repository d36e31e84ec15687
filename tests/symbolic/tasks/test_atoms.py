"""What is carried and what is known together."""

from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.tasks.atoms import Items

ITEMS = Items(("a", "b", "c"), {"z": ("y", "c"), "y": ("a", "b"), "w": ("a",)})
NAMES = ("a", "b", "c", "w", "y", "z")
some = st.frozensets(st.sampled_from(NAMES))


@given(some, some)
def test_known_is_a_closure(one: frozenset[str], more: frozenset[str]) -> None:
    """Knowing is extensive, monotone and idempotent."""
    assert one <= ITEMS.known(one) <= ITEMS.known(one | more)
    assert ITEMS.known(ITEMS.known(one)) == ITEMS.known(one)


@given(some, some)
def test_carrying_is_a_closure(one: frozenset[str], more: frozenset[str]) -> None:
    """Carrying is extensive, idempotent and distributes over union."""
    assert one <= ITEMS.carried(one)
    assert ITEMS.carried(ITEMS.carried(one)) == ITEMS.carried(one)
    assert ITEMS.carried(one | more) == ITEMS.carried(one) | ITEMS.carried(more)


@given(some, st.sampled_from(NAMES))
def test_item_is_known_when_its_primitives_are(one: frozenset[str], item: str) -> None:
    """What is carried determines an item exactly when it holds all its atoms."""
    carried = ITEMS.carried(one)
    assert (item in ITEMS.known(carried)) == (ITEMS.primitives(item) <= carried)


def test_derived_items_may_be_declared_in_any_order() -> None:
    """An item may stand before its arguments; one listed as an atom is not a primitive."""
    items = Items(("a", "b", "y"), {"z": ("y",), "y": ("a", "b")})
    assert items.primitive == ("a", "b")
    assert items.expanded("z") == {"z", "y", "a", "b"}
