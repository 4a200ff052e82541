import itertools

import pytest

from triangle import classify


@pytest.mark.parametrize("side", [1, 2, 7, 0.5])
def test_equal_sides(side):
    assert classify(side, side, side) == "equilateral"


@pytest.mark.parametrize("sides", [(4, 4, 2), (4, 2, 4), (2, 4, 4), (2, 7, 7), (9, 1, 9), (8, 8, 5)])
def test_two_equal_long_sides(sides):
    assert classify(*sides) == "isosceles"


@pytest.mark.parametrize("sides", itertools.permutations((3, 3, 5)))
def test_two_equal_short_sides(sides):
    assert classify(*sides) == "isosceles"


@pytest.mark.parametrize("sides", [*itertools.permutations((3, 4, 5)), (2, 3, 4), (7, 5, 3), (10, 6, 15), (9, 8, 7)])
def test_no_equal_sides(sides):
    assert classify(*sides) == "scalene"


@pytest.mark.parametrize("sides", [(1, 2, 3), (3, 1, 2), (2, 2, 4), (4, 9, 5)])
def test_flat_is_no_triangle(sides):
    assert classify(*sides) == "none"


@pytest.mark.parametrize("sides", [(1, 1, 3), (2, 9, 4), (20, 6, 5)])
def test_too_long_a_side_is_no_triangle(sides):
    assert classify(*sides) == "none"


@pytest.mark.parametrize("sides", [(0, 0, 0), (0, 3, 3), (-1, 2, 2), (5, -5, 5)])
def test_sides_have_a_length(sides):
    assert classify(*sides) == "none"
