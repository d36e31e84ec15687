from attnproof.ask.check import check as check
from attnproof.ask.compare import compare as compare
from attnproof.ask.verify import verify as verify
from attnproof.certificate import Certificate as Certificate
from attnproof.errors import AttnproofError as AttnproofError
from attnproof.errors import InputError as InputError
from attnproof.flow import Flow as Flow
from attnproof.mask import Mask as Mask
from attnproof.symbolic.tasks.task import Task as Task
from attnproof.symbolic.verdict import Finding as Finding
from attnproof.symbolic.verdict import Verdict as Verdict
from attnproof.testing import assert_no_leak as assert_no_leak
from attnproof.values import Report as Report

__version__: str
