import textwrap

import pytest

from wrap import indent, wrap

TEXTS = [
    "",
    "one",
    "one two",
    "the quick brown fox jumps over the lazy dog",
    "a b c d e f g h",
    "  spaces \n and\tlines   do not count ",
    "one extraordinarily-long-word in the middle",
]


@pytest.mark.parametrize("width", [5, 9, 10, 20, 80])
@pytest.mark.parametrize("text", TEXTS)
def test_agrees_with_the_library(text, width):
    wanted = textwrap.wrap(
        " ".join(text.split()), width, break_long_words=False, break_on_hyphens=False
    )
    assert wrap(text, width) == wanted


@pytest.mark.parametrize("text", TEXTS)
def test_keeps_the_words_in_order(text):
    assert " ".join(wrap(text, 12)).split() == text.split()


@pytest.mark.parametrize("text, width, lines", [("aa bb cc", 5, ["aa bb", "cc"]), ("aa bb cc", 4, ["aa", "bb", "cc"])])
def test_fills_to_the_width(text, width, lines):
    assert wrap(text, width) == lines


def test_indent_counts_the_prefix():
    assert indent("aa bb cc", 7, "> ") == ["> aa bb", "> cc"]
