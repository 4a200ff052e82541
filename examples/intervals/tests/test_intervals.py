import itertools
import random

import pytest

from intervals import covered, gaps, merge


@pytest.mark.parametrize(
    "given, wanted",
    [
        ([], []),
        ([(1, 4)], [(1, 4)]),
        ([(1, 2), (4, 6)], [(1, 2), (4, 6)]),
        ([(4, 6), (1, 2)], [(1, 2), (4, 6)]),
        ([(1, 4), (3, 6)], [(1, 6)]),
        ([(1, 4), (4, 6)], [(1, 6)]),
        ([(1, 9), (3, 5)], [(1, 9)]),
        ([(1, 9), (3, 5), (8, 12)], [(1, 12)]),
        ([(1, 3), (2, 5), (4, 7), (9, 10)], [(1, 7), (9, 10)]),
        ([(2, 2), (2, 2)], [(2, 2)]),
        ([(-5, -1), (-3, 2)], [(-5, 2)]),
    ],
)
def test_merge(given, wanted):
    for order in itertools.permutations(given):
        assert merge(order) == wanted


@pytest.mark.parametrize("seed", range(6))
def test_merge_keeps_exactly_the_points(seed):
    draw = random.Random(seed)
    given = []
    for _ in range(12):
        start = draw.randrange(40)
        given.append((start, start + draw.randrange(8)))
    merged = merge(given)
    for point in range(100):
        inside = any(start <= point / 2 <= end for start, end in given)
        assert inside == any(start <= point / 2 <= end for start, end in merged)
    assert all(left[1] < right[0] for left, right in zip(merged, merged[1:]))


@pytest.mark.parametrize("given, length", [([], 0), ([(1, 4), (2, 6)], 5), ([(0, 1), (5, 9)], 5)])
def test_covered(given, length):
    assert covered(given) == length


@pytest.mark.parametrize("given, wanted", [([(1, 4)], []), ([(1, 4), (2, 6), (8, 9)], [(6, 8)])])
def test_gaps(given, wanted):
    assert gaps(given) == wanted
