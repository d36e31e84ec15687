from attnproof.ask.check import check as check
from attnproof.ask.compare import compare as compare
from attnproof.ask.consistent import consistent as consistent
from attnproof.ask.equivalent import equivalent as equivalent
from attnproof.ask.gradient_flow import GradientFlow as GradientFlow
from attnproof.ask.gradient_flow import gradient_flow as gradient_flow
from attnproof.ask.interpolate import Net as Net
from attnproof.ask.interpolate import interpolate as interpolate
from attnproof.ask.merge import merge as merge
from attnproof.ask.probe import probe as probe
from attnproof.ask.scans import scans as scans
from attnproof.ask.sparsify import sparsify as sparsify
from attnproof.ask.verify import verify as verify
from attnproof.certificate import Certificate as Certificate
from attnproof.errors import AttnproofError as AttnproofError
from attnproof.errors import InputError as InputError
from attnproof.flow import Flow as Flow
from attnproof.mask import Mask as Mask
from attnproof.symbolic.families.counts import counts as counts
from attnproof.symbolic.tasks.task import Task as Task
from attnproof.symbolic.verdict import Finding as Finding
from attnproof.symbolic.verdict import Verdict as Verdict
from attnproof.testing import assert_no_leak as assert_no_leak
from attnproof.values import Report as Report

__version__: str
