"""The formula language of masks: what named masks are written in and solvers are given.

A formula says when query ``q`` reads key ``k``.
"""

from attnproof.symbolic.formula.algebra import to_sympy as to_sympy
from attnproof.symbolic.formula.encoding import from_json as from_json
from attnproof.symbolic.formula.encoding import to_json as to_json
from attnproof.symbolic.formula.evaluation import dense as dense
from attnproof.symbolic.formula.evaluation import evaluate as evaluate
from attnproof.symbolic.formula.obligations import Obligation as Obligation
from attnproof.symbolic.formula.obligations import obligations as obligations
from attnproof.symbolic.formula.operators import Sort as Sort
from attnproof.symbolic.formula.printing import latex as latex
from attnproof.symbolic.formula.printing import python_source as python_source
from attnproof.symbolic.formula.printing import reads_tensors as reads_tensors
from attnproof.symbolic.formula.printing import text as text
from attnproof.symbolic.formula.rewriting import replace as replace
from attnproof.symbolic.formula.rewriting import simplify as simplify
from attnproof.symbolic.formula.rewriting import substitute as substitute
from attnproof.symbolic.formula.rewriting import tensors as tensors
from attnproof.symbolic.formula.rewriting import variables as variables
from attnproof.symbolic.formula.solver import to_z3 as to_z3
from attnproof.symbolic.formula.sorts import FormulaError as FormulaError
from attnproof.symbolic.formula.source import mask_mod_source as mask_mod_source
from attnproof.symbolic.formula.terms import INDICES as INDICES
from attnproof.symbolic.formula.terms import Like as Like
from attnproof.symbolic.formula.terms import Term as Term
from attnproof.symbolic.formula.terms import apply as apply
from attnproof.symbolic.formula.terms import at as at
from attnproof.symbolic.formula.terms import constant as constant
from attnproof.symbolic.formula.terms import fold as fold
from attnproof.symbolic.formula.terms import holds as holds
from attnproof.symbolic.formula.terms import ite as ite
from attnproof.symbolic.formula.terms import joined as joined
from attnproof.symbolic.formula.terms import k as k
from attnproof.symbolic.formula.terms import maximum as maximum
from attnproof.symbolic.formula.terms import minimum as minimum
from attnproof.symbolic.formula.terms import n as n
from attnproof.symbolic.formula.terms import q as q
from attnproof.symbolic.formula.terms import variable as variable
