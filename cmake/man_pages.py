"""Makes the man pages from the manuals in cli/: man_pages.py VERSION OUT MANUAL…

Reads the little of Markdown that the manuals use: headings, paragraphs, lists with `- `, blocks indented by four
spaces, `code` and **strong**. Writes OUT/instar-<verb>.1 for each, and OUT/instar.1, which lists them.
"""

import pathlib
import re
import sys


def plain(text):
    """Text that means nothing to troff, in ASCII."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith(".") else text


def inline(text):
    parts = re.split(r"`([^`]+)`|\*\*([^*]+)\*\*", text)
    out = ""
    for i in range(0, len(parts), 3):
        out += plain(parts[i]) if out == "" else plain(parts[i]).removeprefix("\\&")
        for strong in parts[i + 1 : i + 3]:
            if strong:
                out += "\\fB" + plain(strong).removeprefix("\\&") + "\\fR"
    return out


def item(text):
    """`--option`: what it does, or any other item of a list."""
    term = re.fullmatch(r"(`[^`]+`(?:, `[^`]+`)*): (.*)", text, re.S)
    if term:
        return [".TP", inline(term[1]), inline(term[2])]
    return [".IP \\(bu 2", inline(text)]


def blocks(text):
    """(kind, text) of each heading, paragraph, item and example."""
    kind, lines = None, []
    for line in text.splitlines() + [""]:
        begins = (
            "title" if line.startswith("# ") else "section" if line.startswith("## ")
            else "example" if line.startswith("    ") else "item" if line.startswith("- ")
            else "gap" if not line.strip() else "more" if line.startswith("  ") and kind == "item" else "text"
        )
        if begins in ("more", kind) and begins in ("more", "text", "example"):
            lines.append(line[4:] if kind == "example" else line.strip())
            continue
        if kind not in (None, "gap"):
            yield kind, ("\n" if kind == "example" else " ").join(lines)
        kind, lines = begins, [line[4:] if begins == "example" else line.lstrip("#- ").strip()]


def page(name, text, version, others):
    parts = list(blocks(text))
    lead = next(content for kind, content in parts if kind == "text")
    summary = re.split(r"[.:;](?: |$)", lead, maxsplit=1)[0]
    words = name.replace("-", " ", 1)
    out = [f'.TH "{name.upper()}" 1 "" "instar {version}" "Instar"', ".nh", ".ad l", ".SH NAME"]
    out += [f"{name} \\- {inline(summary[0].lower() + summary[1:])}", ".SH SYNOPSIS"]
    out += [f".B {plain(words)}", *(["\\fICOMMAND\\fR"] if name == "instar" else []), "[\\fIOPTION\\fR]..."]
    out += [".SH DESCRIPTION"]
    for kind, content in parts:
        if kind == "section":
            out.append(f'.SH "{plain(content.upper())}"')
        elif kind == "text":
            out += [".PP", inline(content)]
        elif kind == "item":
            out += item(content)
        elif kind == "example":
            out += [".PP", ".RS 4", ".EX", *(plain(line) for line in content.split("\n")), ".EE", ".RE"]
    others = sorted(other for other in others if other != name)
    out += ['.SH "SEE ALSO"', ", ".join(f"\\fB{plain(other)}\\fR(1)" for other in others)]
    return "\n".join(out) + "\n"


def overview(texts):
    """The manual of the program itself, made of the first lines of the others."""
    commands = []
    for name, text in sorted(texts.items()):
        lead = next(content for kind, content in blocks(text) if kind == "text")
        commands.append(f"- `{name.replace('-', ' ', 1)}`: {lead}")
    return (
        "# instar\n\nEvolve the code of a git repository, and contain what it evolves.\n\n"
        "Every command takes `-C DIR`, `--json` and `--help`.\n\n## Commands\n\n" + "\n".join(commands) + "\n"
    )


def main(version, out, *manuals):
    texts = {}
    for manual in map(pathlib.Path, manuals):
        texts["instar-" + manual.stem.removeprefix("cmd_")] = manual.read_text(encoding="utf-8")
    texts["instar"] = overview(texts)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        pathlib.Path(out, f"{name}.1").write_text(page(name, text, version, texts), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
