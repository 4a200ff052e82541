"""What kind of triangle three sides make."""


def classify(a, b, c):
    """Returns 'equilateral', 'isosceles', 'scalene' or 'none'."""
    a, b, c = sorted((a, b, c))
    if a <= 0:
        return "none"
    if a + b < c:
        return "none"
    if a == b and b == c:
        return "equilateral"
    if a == b or a == c:
        return "isosceles"
    return "scalene"
