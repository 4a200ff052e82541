import bisect

import pytest

from search import contains, count, lower_bound

LISTS = [[], [5], [1, 3], [1, 3, 3, 3, 8], [2, 4, 6, 8, 10, 12], [7] * 6, list(range(0, 50, 7))]


@pytest.mark.parametrize("items", LISTS, ids=str)
def test_lower_bound_agrees_with_the_library(items):
    for wanted in range(-1, 60):
        assert lower_bound(items, wanted) == bisect.bisect_left(items, wanted)


@pytest.mark.parametrize("items", LISTS, ids=str)
def test_finds_every_item_and_nothing_else(items):
    for wanted in range(-1, 60):
        assert contains(items, wanted) == (wanted in items)


@pytest.mark.parametrize("items", LISTS, ids=str)
def test_counts_every_item(items):
    for wanted in range(-1, 60):
        assert count(items, wanted) == items.count(wanted)


@pytest.mark.parametrize("wanted, index", [(0, 0), (1, 0), (2, 1), (3, 1), (8, 4), (9, 5)])
def test_position_among_repeated_items(wanted, index):
    assert lower_bound([1, 3, 3, 3, 8], wanted) == index
