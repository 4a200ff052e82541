"""Roman numerals from 1 to 3999."""

STEPS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (5, "IV"),
    (1, "I"),
)


def to_roman(number):
    """The numeral of `number`; ValueError where there is none."""
    if number < 1 or number > 3999:
        raise ValueError(f"{number} has no roman numeral")
    numeral = ""
    for value, letters in STEPS:
        while number >= value:
            numeral += letters
            number -= value
    return numeral


def from_roman(numeral):
    """The number that `numeral` stands for; ValueError where it is not written as to_roman does."""
    number = 0
    rest = numeral
    for value, letters in STEPS:
        while rest.startswith(letters):
            number += value
            rest = rest[len(letters) :]
    if rest or to_roman(number) != numeral:
        raise ValueError(f"{numeral!r} is no roman numeral")
    return number
