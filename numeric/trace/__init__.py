"""Rules of the user as formulas: what ``mask_mod(b, h, q_idx, kv_idx)`` says for every length."""

from attnproof.numeric.trace.refusal import TraceError as TraceError
from attnproof.numeric.trace.traced import Captured as Captured
from attnproof.numeric.trace.traced import Path as Path
from attnproof.numeric.trace.traced import Traced as Traced
from attnproof.numeric.trace.tracing import trace as trace
