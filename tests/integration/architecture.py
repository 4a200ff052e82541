"""The rules of the source tree that no compiler checks, as functions that give a list of faults."""

import pathlib
import re

# Who may use whom. `engine` and `cli` stand for every folder below them.
LAYERS = {
    "base": {"base"},
    "isolation": {"isolation", "base"},
    "checkpoints": {"checkpoints", "base"},
    "engine": {"engine", "isolation", "checkpoints", "base"},
    "cli": {"cli", "engine", "isolation", "checkpoints", "base"},
}

# Libraries that only .cc files may include, so that their exceptions and types stay in one place each.
HIDDEN_LIBRARIES = (
    "CLI/", "boost/", "expat", "fmt/", "git2", "nlohmann/", "openssl/", "seccomp",
    "tree_sitter/", "utf8proc", "yaml-cpp/", "zstd",
)
SHOWN_HEADERS = ("nlohmann/json_fwd.hpp",)

LONGEST_FILE = 400

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


# What CMake finds, and how an include of it begins.
LIBRARIES = {
    "CLI11": "CLI/", "EXPAT": "expat", "GIT2": "git2", "OpenSSL": "openssl/", "SECCOMP": "seccomp",
    "TREE_SITTER": "tree_sitter/", "UTF8PROC": "utf8proc", "ZSTD": "zstd", "fmt": "fmt/",
    "nlohmann_json": "nlohmann/", "tl-expected": "tl/", "yaml-cpp": "yaml-cpp/",
}
NO_LIBRARIES = ("PkgConfig", "Threads")


def product_files(root):
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield path


def includes(path):
    """(line number, name) of every include of a file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(2)


def include_direction(root):
    faults = []
    for path in product_files(root):
        layer = path.relative_to(root).parts[0]
        for number, name in includes(path):
            used = pathlib.PurePath(name).parts[0]
            ours = used in LAYERS or (root / used).is_dir() and "/" in name
            if ours and used not in LAYERS[layer]:
                faults.append(f"{path.relative_to(root)}:{number}: {layer} may not include {name}")
    return faults


def module_links(root):
    """CMake says the same as the includes: a module links no other than those its layer may use."""
    text = (root / "CMakeLists.txt").read_text()
    folders = re.findall(r"instar_module\((\S+)(?: DEPS ([^)]*))?\)", text)
    layer_of = {f"instar_{pathlib.PurePath(f).name}": pathlib.PurePath(f).parts[0] for f, _ in folders}
    faults = []
    for folder, links in folders:
        layer = pathlib.PurePath(folder).parts[0]
        for link in links.split():
            if link in layer_of and layer_of[link] not in LAYERS[layer]:
                faults.append(f"CMakeLists.txt: {folder} may not link {link}")
    if not folders:
        faults.append("CMakeLists.txt: no instar_module found; this check reads its calls")
    return faults


def unused_libraries(root):
    """A library that nothing includes is still downloaded, trusted and updated."""
    found = re.findall(
        r"^(?:find_package|pkg_check_modules)\(([\w-]+)", (root / "cmake/dependencies.cmake").read_text(), re.M
    )
    included = {name for path in product_files(root) for _, name in includes(path)}
    faults = []
    for library in found:
        start = LIBRARIES.get(library)
        if library in NO_LIBRARIES:
            continue
        if start is None:
            faults.append(f"{library}: how is it included? Add it to LIBRARIES")
        elif not any(name.startswith(start) for name in included):
            faults.append(f"{library}: no file includes {start}")
    return faults


def libraries_in_headers(root):
    faults = []
    for path in product_files(root):
        if path.suffix != ".h":
            continue
        for number, name in includes(path):
            if name.startswith(HIDDEN_LIBRARIES) and name not in SHOWN_HEADERS:
                faults.append(f"{path.relative_to(root)}:{number}: a header may not include {name}")
    return faults


def long_files(root):
    faults = []
    for path in product_files(root):
        lines = len(path.read_text().splitlines())
        if lines > LONGEST_FILE:
            faults.append(f"{path.relative_to(root)}: {lines} lines, more than {LONGEST_FILE}")
    return faults


# GCC does not destroy what a braced list has made so far when INSTAR_TRY returns from inside it.
TRY_IN_LIST = re.compile(r"\{\s*\.(?:[^{};]|\{[^{};]*\})*,(?:[^{};]|\{[^{};]*\})*\bINSTAR_TRY\(")


def returns_from_lists(root):
    faults = []
    for path in product_files(root):
        text = path.read_text()
        for found in TRY_IN_LIST.finditer(text):
            number = text.count("\n", 0, found.end()) + 1
            faults.append(f"{path.relative_to(root)}:{number}: INSTAR_TRY behind other members of a braced list leaks them")
    return faults


def type_names(root):
    """Two headers of one namespace that define one name are one type to the linker, which then picks either."""
    seen, faults = {}, []
    for path in product_files(root):
        if path.suffix != ".h":
            continue
        text = path.read_text()
        space = re.search(r"^namespace (\S+) \{", text, re.MULTILINE)
        for name in re.findall(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^\n;]*)? \{", text, re.MULTILINE):
            first = seen.setdefault((space and space.group(1), name), path)
            if first != path:
                faults.append(f"{path.relative_to(root)}: {name} is defined in {first.relative_to(root)} too")
    return faults


def manuals(root):
    """Every verb has its manual, with examples that call it, and the other way round."""
    faults = []
    sources = {path.stem for path in (root / "cli").glob("cmd_*.cc")}
    texts = {path.stem: path for path in (root / "cli").glob("cmd_*.md")}
    for stem in sorted(sources ^ texts.keys()):
        faults.append(f"cli/{stem}: {'.md' if stem in sources else '.cc'} is missing")
    for stem in sorted(sources & texts.keys()):
        verb = stem.removeprefix("cmd_")
        text = texts[stem].read_text()
        section = re.search(r"^#* *Examples:?\s*$(.*)", text, re.MULTILINE | re.DOTALL)
        if not section or not re.search(rf"\binstar (-\S+ \S+ )*{verb}\b", section.group(1)):
            faults.append(f"cli/{stem}.md: no section Examples that calls `instar {verb}`")
    return faults


# Things of one machine or of one way of working, which mean nothing to a reader elsewhere. Written in pieces, so
# that this file does not hold them.
FOREIGN = re.compile(
    "|".join(
        (
            "/wo" + r"rk/(?:wt|main|shared|\.library)\b",
            "/ro" + r"ot/\.",
            r"\b(?:registry|deb|security|archive|snapshot|ftp)\." + r"\w+\.(?:org|com|net)\b",
            r"\bnpm" + "js",
            r"\bpy" + r"pi\.org|python" + "hosted",
            r"(?://|/\*|^\s*#)\s*TO" + r"DO\b|\bFIX" + r"ME\b",
            r"\bissue" + r" #?\d",
            '"resol' + 'ved":',
        )
    ),
    re.IGNORECASE,
)

NOT_OURS = {".git", "build", "node_modules", ".cache", "__pycache__", ".pytest_cache"}


def text_files(root):
    for path in sorted(root.iterdir()):
        if path.name in NOT_OURS or path.is_symlink():
            continue
        if path.is_dir():
            yield from text_files(path)
        elif b"\0" not in path.read_bytes()[:4096]:
            yield path


def foreign_words(root):
    faults = []
    for path in text_files(root):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = FOREIGN.search(line)
            if found:
                faults.append(f"{path.relative_to(root)}:{number}: {found.group(0)}")
    return faults


def examples(root):
    """Every example says how it is run, keeps its tests out of reach, and stands in the list."""
    faults = []
    overview = (root / "examples/README.md").read_text()
    for target in sorted((root / "examples").glob("*/instar.yaml")):
        name = target.parent.name
        readme = target.parent / "README.md"
        if not readme.exists() or f"    scripts/example {name}\n" not in readme.read_text():
            faults.append(f"examples/{name}/README.md: does not give the command `scripts/example {name}`")
        if not re.search(r"^sealed:.*tests", target.read_text(), re.MULTILINE):
            faults.append(f"examples/{name}/instar.yaml: the tests are not sealed")
        if f"]({name}/README.md)" not in overview:
            faults.append(f"examples/README.md: {name} is not listed")
    return faults
