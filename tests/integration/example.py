"""One of the examples from its README's one command to the repaired program.

    INSTAR=… python3 example.py NAME [EVOLVE OPTIONS…]

Checks what a user is promised: the run ends with 0 and says that it improved or solved; the champion is a commit whose
files pass the example's own tests outside any cell; nothing of the target but Instar's refs has changed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
SPEED = {"sieve": ("bench.cpu_s", 0.8)}  # the metric of an example without failing tests, and the share to reach


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def git(target, *words):
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(["git", "-C", target, *words], capture_output=True, env=environment)
    expect(done.returncode == 0, f"git {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout


def evolve(name, options, parent):
    done = subprocess.run(
        [ROOT / "scripts/example", name, "--seed", "1", "--json", *options],
        stdout=subprocess.PIPE,
        env={**os.environ, "INSTAR_EXAMPLES": parent},
    )
    if done.returncode == 3 and name == "real" and not list(pathlib.Path(parent).glob("*/.git")):
        if os.environ.get("INSTAR_MUST_WORK") != "1":
            print("the source package can be had neither here nor from the package servers")
            sys.exit(SKIPPED)
    expect(done.returncode == 0, f"the run ended with {done.returncode}: {done.stdout.decode()[-2000:]}")
    return json.loads(done.stdout)


def check_result(name, result):
    expect(result["status"] == "improved", "the status is improved")
    metrics, before = result["champion"]["metrics"], result["baseline"]["metrics"]
    expect(metrics["tests.failed"] == 0, "no test fails")
    if name in SPEED:
        metric, share = SPEED[name]
        expect(metrics[metric] <= share * before[metric], f"{metric} is better: {before[metric]} -> {metrics[metric]}")
    else:
        expect(result["solved"] is True and result["ended"] == "solved", "the run ended because it was solved")
        expect(before["tests.failed"] > 0, "tests failed before")


def check_champion(target, result, scratch):
    run, commit = result["run"], result["champion"]["commit"]
    ref = git(target, "rev-parse", f"refs/instar/{run}/champion").decode().strip()
    expect(ref == commit, "the champion's ref names its commit")
    files = scratch / "champion"
    files.mkdir()
    archive = git(target, "archive", commit)
    subprocess.run(["tar", "-x", "-C", files], input=archive, check=True)
    if (files / "pytest.ini").exists():
        own_tests = "/usr/bin/python3 -B -m pytest -q tests"
    elif (files / "Makefile").exists():
        own_tests = "make -s run_tests && ./run_tests"
    else:
        own_tests = "cc -w -I. -o run_tests *.c tests/run.c && ./run_tests"
    tests = subprocess.run(["sh", "-c", own_tests], cwd=files, capture_output=True, text=True)
    expect(tests.returncode == 0, f"the champion passes the example's own tests: {tests.stdout}{tests.stderr}")


def check_untouched(target):
    expect(git(target, "status", "--porcelain", "--ignored") == b"", "the working tree is as it was")
    expect(git(target, "rev-list", "--count", "HEAD") == b"1\n", "HEAD has not moved")
    expect(git(target, "branch", "--list") == b"* main\n", "there is no other branch")
    others = [ref for ref in git(target, "for-each-ref", "--format=%(refname)").decode().split()
              if not ref.startswith("refs/instar/") and ref != "refs/heads/main"]
    expect(others == [], f"no other refs: {others}")


def main(name, *options):
    with tempfile.TemporaryDirectory() as scratch:
        parent = pathlib.Path(scratch) / "targets"
        parent.mkdir()
        result = evolve(name, options, str(parent))
        (target,) = parent.iterdir()
        check_result(name, result)
        check_champion(str(target), result, pathlib.Path(scratch))
        check_untouched(str(target))
        counters = result["variants"]
        print(f"{name}: {counters['evaluated']} evaluated, {counters['accepted']} accepted, {result['seconds']:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
