"""Binary search in a sorted list."""


def lower_bound(items, wanted):
    """Index of the first item that is not less than `wanted`; len(items) when there is none."""
    low = 0
    high = len(items) - 1
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def contains(items, wanted):
    """Whether `wanted` is one of the items."""
    index = lower_bound(items, wanted)
    return index < len(items) and items[index] == wanted


def count(items, wanted):
    """How often `wanted`, a whole number, is among the items."""
    return lower_bound(items, wanted + 1) - lower_bound(items, wanted)
