"""n = 65536, packed: closure, covers and transitivity in a process of its own.

``--kernel`` measures the compiled closure as well.
"""

import json
import sys
from time import process_time

from attnproof.symbolic.masks.bits import unpack
from tests.benchmarks import kernels
from tests.benchmarks.comparison import everything
from tests.benchmarks.masks import packed_causal

N = 65536


def main() -> None:
    """Print the CPU seconds without and with the kernel."""
    packed = packed_causal(N)
    start = process_time()
    everything(unpack(packed))
    took = process_time() - start
    kernel = None
    if "--kernel" in sys.argv and kernels.INSTALLED:
        kernels.warm()
        words = packed.view("u8")
        start = process_time()
        kernels.close(words)
        kernel = process_time() - start
    print(json.dumps({"seconds": took, "kernel": kernel}))


if __name__ == "__main__":
    main()
