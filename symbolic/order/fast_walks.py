"""The kernels of ``fast_runs``: walks over flat arrays, in the Python that numba compiles.

Row ``q`` holds ``starts[i] .. stops[i] - 1`` for ``ptr[q] <= i < ptr[q + 1]``.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Ends = NDArray[np.signedinteger]

#: What a kernel had no room for.
DONE, RUNS, COVERS, ROW = range(4)


def reads_back(ptr: "Places", stops: "Ends") -> bool:
    """Do the runs of row ``q`` stop at ``q`` or before?"""
    for q in range(len(ptr) - 1):
        if ptr[q + 1] > ptr[q] and stops[ptr[q + 1] - 1] > q + 1:
            return False
    return True


def join(
    c: int,
    stop: int,
    ptr: "Places",
    starts: "Ends",
    stops: "Ends",
    own_ptr: "Places",
    own_starts: "Ends",
    own_stops: "Ends",
    class_of: "Places",
    down_ptr: "Places",
    down_starts: "Ends",
    down_stops: "Ends",
    below_ptr: "Places",
    below: "Places",
    spare: "Places",
) -> tuple[int, int]:
    """Close classes ``c .. stop - 1``; the first one not closed, and what has no room for it."""
    room = spare.shape[1]
    low, high, new_low, new_high = spare[0], spare[1], spare[2], spare[3]
    while c < stop:
        held = own_ptr[c + 1] - own_ptr[c]
        if held > room:
            return c, ROW
        for i in range(held):
            low[i] = own_starts[own_ptr[c] + i]
            high[i] = own_stops[own_ptr[c] + i]
        base = below_ptr[c]
        taken = 0
        descending = True
        while True:
            nearest = -1
            at = 0
            for i in range(ptr[c], ptr[c + 1]):
                start = np.int64(starts[i])
                end = np.int64(stops[i])
                while at < held and high[at] <= start:
                    at += 1
                j = at
                while start < end:
                    if j < held and low[j] <= start:
                        start = high[j]
                        j += 1
                        continue
                    until = min(end, low[j]) if j < held else end
                    nearest = max(nearest, class_of[start], class_of[until - 1])
                    start = until
            if nearest < 0:
                break
            if base + taken >= len(below):
                return c, COVERS
            if taken and below[base + taken - 1] < nearest:
                descending = False
            below[base + taken] = nearest
            taken += 1
            i = 0
            j = down_ptr[nearest]
            last = down_ptr[nearest + 1]
            if held + last - j > room:
                return c, ROW
            count = 0
            while i < held or j < last:
                if j >= last or (i < held and low[i] <= down_starts[j]):
                    start = low[i]
                    end = high[i]
                    i += 1
                else:
                    start = np.int64(down_starts[j])
                    end = np.int64(down_stops[j])
                    j += 1
                if count and start <= new_high[count - 1]:
                    new_high[count - 1] = max(new_high[count - 1], end)
                else:
                    new_low[count] = start
                    new_high[count] = end
                    count += 1
            held = count
            low, new_low = new_low, low
            high, new_high = new_high, high
        first = down_ptr[c]
        if first + held > len(down_starts):
            return c, RUNS
        for i in range(held):
            down_starts[first + i] = low[i]
            down_stops[first + i] = high[i]
        down_ptr[c + 1] = first + held
        if not descending:
            gap = taken // 2
            while gap:
                for i in range(base + gap, base + taken):
                    d = below[i]
                    j = i
                    while j - gap >= base and below[j - gap] < d:
                        below[j] = below[j - gap]
                        j -= gap
                    below[j] = d
                gap //= 2
            found = taken
            taken = 0
            for t in range(base, base + found):
                d = below[t]
                p = own_starts[own_ptr[d]]
                covered = False
                for i in range(taken):
                    before = down_ptr[below[base + i]]
                    after = down_ptr[below[base + i] + 1]
                    while before < after:
                        middle = (before + after) // 2
                        if down_starts[middle] <= p:
                            before = middle + 1
                        else:
                            after = middle
                    if before > down_ptr[below[base + i]] and p < down_stops[before - 1]:
                        covered = True
                        break
                if not covered:
                    below[base + taken] = d
                    taken += 1
        for i in range(taken // 2):
            other = base + taken - 1 - i
            below[base + i], below[other] = below[other], below[base + i]
        below_ptr[c + 1] = base + taken
        c += 1
    return c, DONE


def number_components(ptr: "Places", starts: "Ends", stops: "Ends", component: "Places") -> None:
    """Tarjan's search: the next unseen position by union-find, the least place by a tree."""
    n = len(component)
    kind = starts.dtype
    unseen = np.arange(n + 1).astype(kind)
    tree = np.full(2 * n, n, kind)
    place = np.zeros(n, kind)
    low = np.zeros(n, kind)
    at = ptr[:n].copy()
    stack = np.empty(n, kind)
    walk = np.empty(n, kind)
    waiting = 0
    count = 0
    for root in range(n):
        if unseen[root] != root:
            continue
        walk[0] = root
        depth = 1
        while depth:
            q = walk[depth - 1]
            entered = unseen[q] == q
            if entered:
                unseen[q] = q + 1
                place[q] = waiting
                low[q] = waiting
                stack[waiting] = q
                waiting += 1
            fresh = np.int64(-1)
            while at[q] < ptr[q + 1]:
                fresh = np.int64(starts[at[q]])
                while unseen[fresh] != fresh:
                    unseen[fresh] = unseen[unseen[fresh]]
                    fresh = unseen[fresh]
                if fresh < stops[at[q]]:
                    break
                at[q] += 1
            if entered:
                if waiting == 1 and at[q] == ptr[q + 1]:
                    component[q] = count
                    count += 1
                    waiting = 0
                    depth = 0
                    continue
                i = q + n
                while i and tree[i] >= waiting:
                    tree[i] = waiting - 1
                    i >>= 1
            if at[q] < ptr[q + 1]:
                walk[depth] = fresh
                depth += 1
                continue
            least = low[q]
            for i in range(ptr[q], ptr[q + 1]):
                left = np.int64(starts[i]) + n
                right = np.int64(stops[i]) + n
                while left < right:
                    if left & 1:
                        least = min(least, tree[left])
                        left += 1
                    if right & 1:
                        right -= 1
                        least = min(least, tree[right])
                    left >>= 1
                    right >>= 1
            low[q] = least
            depth -= 1
            if least == place[q]:
                while waiting > place[q]:
                    waiting -= 1
                    component[stack[waiting]] = count
                    i = stack[waiting] + n
                    tree[i] = n
                    i >>= 1
                    while i and tree[i] == waiting:
                        tree[i] = min(tree[2 * i], tree[2 * i + 1])
                        i >>= 1
                count += 1
            elif depth:
                low[walk[depth - 1]] = min(low[walk[depth - 1]], least)


def take_ready(
    ptr: "Places",
    above: "Places",
    missing: "Places",
    rank: "Places",
    by_rank: "Places",
    order: "Places",
) -> None:
    """Take the ready class of least rank, again and again, from a binary heap of ranks.

    Class ``d`` is covered by ``above[ptr[d]:ptr[d + 1]]``, and class ``c`` waits for
    ``missing[c]`` of those it covers.
    """
    count = len(order)
    heap = np.empty(count, np.int64)
    size = 0
    for r in range(count):
        if not missing[by_rank[r]]:
            heap[size] = r
            size += 1
    for t in range(count):
        d = by_rank[heap[0]]
        order[t] = d
        size -= 1
        moved = heap[size]
        i = 0
        while 2 * i + 1 < size:
            child = 2 * i + 1
            if child + 1 < size and heap[child + 1] < heap[child]:
                child += 1
            if moved <= heap[child]:
                break
            heap[i] = heap[child]
            i = child
        heap[i] = moved
        for j in range(ptr[d], ptr[d + 1]):
            c = above[j]
            missing[c] -= 1
            if not missing[c]:
                i = size
                size += 1
                while i and heap[(i - 1) // 2] > rank[c]:
                    heap[i] = heap[(i - 1) // 2]
                    i = (i - 1) // 2
                heap[i] = rank[c]


def farthest(ptr: "Places", starts: "Ends", stops: "Ends", levels: "NDArray[np.int32]") -> int:
    """The most steps from any position, start to start or stop to stop, to where they end.

    -1 unless rows are one interval around their position and the ends never decrease.
    """
    n = len(levels)
    most = 0
    ahead = False
    for q in range(n):
        start = starts[q]
        if ptr[q] != q or start > q or stops[q] <= q:
            return -1
        if q and (start < starts[q - 1] or stops[q] < stops[q - 1]):
            return -1
        ahead |= stops[q] > q + 1
        levels[q] = 0 if start == q else levels[start] + 1
        most = max(most, levels[q])
    for back in range(n if ahead else 0):
        q = n - 1 - back
        last = stops[q] - 1
        levels[q] = 0 if last == q else levels[last] + 1
        most = max(most, levels[q])
    return most
