"""Closed intervals on the number line, each a pair (start, end) with start <= end."""


def merge(intervals):
    """The same points as few sorted intervals: overlapping and touching ones become one."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            last_start, last_end = merged[-1]
            merged[-1] = (last_start, max(last_end, start))
        else:
            merged.append((start, end))
    return merged


def covered(intervals):
    """Length of the part of the line that at least one interval covers."""
    return sum(end - start for start, end in merge(intervals))


def gaps(intervals):
    """The open parts between the merged intervals."""
    merged = merge(intervals)
    return [(left[1], right[0]) for left, right in zip(merged, merged[1:])]
