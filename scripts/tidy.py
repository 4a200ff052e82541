"""Runs clang-tidy over the sources of a build directory, in parallel, and remembers what was clean.

    python3 scripts/tidy.py BUILD_DIR CACHE_DIR [PATH…]

A source counts as clean until it, one of our headers that it includes, its compile command, the checks or the
program's version changes. Only files below the given paths (default: the product) are looked at. The path-sensitive
analyzer costs as much as all other checks together, so it looks only at the modules that a variant meets first.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

PROGRAM = "clang-tidy-16"
ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ["base", "isolation", "checkpoints", "engine", "cli"]
ANALYZED = ["base", "isolation", "engine/edit_window"]


def included_headers(build):
    """Object file -> our own files that the compiler read for it, as ninja recorded them."""
    text = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    headers, current = {}, None
    for line in text.splitlines():
        if line and not line[0].isspace():
            current = headers.setdefault(line.split(":")[0], [])
        elif line.strip() and current is not None:
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build"):
                current.append(path)
    return headers


def fingerprint(common, entry, headers):
    digest = hashlib.sha256(common + entry["command"].encode())
    for path in sorted({pathlib.Path(entry["file"]), *headers}):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check(build, source):
    """Empty when the source is clean, else what clang-tidy said."""
    command = [PROGRAM, "-p", str(build), "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
    if not any(pathlib.Path(source).is_relative_to(ROOT / path) for path in ANALYZED):
        command.append("--checks=-clang-analyzer-*")
    done = subprocess.run([*command, source], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main(build, cache, paths):
    build, cache = pathlib.Path(build).resolve(), pathlib.Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes()
    headers = included_headers(build)
    below = [ROOT / path for path in paths or PRODUCT]

    due = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.suffix != ".cc" or not any(source.is_relative_to(path) for path in below):
            continue
        target = re.search(r" -o (\S+)", entry["command"]).group(1)
        stamp = cache / fingerprint(common, entry, headers.get(target, []))
        if not stamp.exists():
            due[str(source)] = stamp

    faulty = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(check, build, source): source for source in sorted(due)}
        for done in concurrent.futures.as_completed(running):
            source = running[done]
            said = done.result()
            if said:
                faulty += 1
                print(f"{os.path.relpath(source, ROOT)}:\n{said}", flush=True)
            else:
                due[source].touch()
    print(f"clang-tidy: {len(due)} sources checked, {faulty} with findings", flush=True)
    return 1 if faulty else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
