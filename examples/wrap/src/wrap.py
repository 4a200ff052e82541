"""Breaks text into lines of a given width."""


def append(line, word):
    """`line` with one more word."""
    if not line:
        return word
    return line + " " + word


def wrap(text, width):
    """Lines of at most `width` characters; a longer word has a line of its own."""
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = ""
        line = append(word, line)
    if line:
        lines.append(line)
    return lines


def indent(text, width, prefix):
    """The wrapped text, each line after `prefix`, which counts as part of the width."""
    return [prefix + line for line in wrap(text, width - len(prefix))]
