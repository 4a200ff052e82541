import pytest

from roman import from_roman, to_roman

KNOWN = [
    (1, "I"), (2, "II"), (3, "III"), (4, "IV"), (5, "V"), (6, "VI"), (8, "VIII"), (9, "IX"), (10, "X"),
    (14, "XIV"), (19, "XIX"), (40, "XL"), (44, "XLIV"), (50, "L"), (90, "XC"), (99, "XCIX"), (100, "C"),
    (400, "CD"), (500, "D"), (900, "CM"), (1000, "M"), (1994, "MCMXCIV"), (2026, "MMXXVI"),
    (3888, "MMMDCCCLXXXVIII"), (3999, "MMMCMXCIX"),
]


@pytest.mark.parametrize("number, numeral", KNOWN)
def test_writes(number, numeral):
    assert to_roman(number) == numeral


@pytest.mark.parametrize("number, numeral", KNOWN)
def test_reads(number, numeral):
    assert from_roman(numeral) == number


def test_reads_back_whatever_it_writes():
    for number in range(1, 4000):
        assert from_roman(to_roman(number)) == number


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_refuses_numbers_without_a_numeral(number):
    with pytest.raises(ValueError):
        to_roman(number)


@pytest.mark.parametrize("numeral", ["IIII", "VV", "IC", "IXI", "MMMM", "A"])
def test_refuses_what_is_no_numeral(numeral):
    with pytest.raises(ValueError):
        from_roman(numeral)
