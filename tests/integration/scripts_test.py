"""The scripts in bad circumstances: no root, nothing installed, no network, wrong names."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ORDINARY = 65534  # a user without rights


class Scripts(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dir = pathlib.Path(temp.name)
        self.dir.chmod(0o777)
        self.clone = self.dir / "clone"
        shutil.copytree(ROOT / "scripts", self.clone / "scripts")
        shutil.copy(ROOT / "CMakePresets.json", self.clone)
        (self.clone / "cmake").mkdir()
        shutil.copytree(ROOT / "cmake/grammars", self.clone / "cmake/grammars")
        for language in ("c", "python"):
            self.put_grammar(language, "0.23.6")

    def put_grammar(self, language, version):
        grammar = self.clone / f"build/grammars/tree-sitter-{language}"
        grammar.mkdir(parents=True, exist_ok=True)
        (grammar / "package.json").write_text(f'{{\n  "version": "{version}"\n}}\n')

    def packages(self, text):
        (self.clone / "scripts/packages.txt").write_text(text)

    def tools(self, **programs):
        """A directory for PATH with these shell programs in it."""
        place = self.dir / "tools"
        place.mkdir(exist_ok=True)
        for name, body in programs.items():
            (place / name.replace("_", "-")).write_text(f"#!/bin/sh\n{body}\n")
            (place / name.replace("_", "-")).chmod(0o755)
        return f"{place}:/usr/bin:/bin"

    def run_script(self, *words, path="/usr/bin:/bin", ordinary=False, **environment):
        def drop():
            if ordinary and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(ORDINARY)
                os.setuid(ORDINARY)

        if ordinary and os.geteuid() == 0:
            subprocess.run(["chown", "-R", str(ORDINARY), self.clone], check=True)
        return subprocess.run(
            words, cwd=self.clone, env={"PATH": path, **environment}, capture_output=True, text=True,
            preexec_fn=drop,
        )

    def test_without_root_the_missing_packages_are_named_and_nothing_is_done(self):
        self.packages("libnone-such-dev build - for a test\nbash build - there\n")
        done = self.run_script("scripts/deps", ordinary=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("apt-get install -y --no-install-recommends libnone-such-dev\n", done.stderr)

    def test_with_everything_there_nothing_is_said_and_no_home_is_needed(self):
        self.packages("bash build - there\nshell build sh there\nfile build /bin/sh there\nlibnone test - not asked\n")
        done = self.run_script("scripts/deps", ordinary=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.run_script("scripts/deps", "test", ordinary=True).returncode, 2)

    def test_nothing_is_installed_that_would_remove_a_package(self):
        self.packages("libnone-such-dev build - for a test\n")
        log = self.dir / "log"
        path = self.tools(
            id="echo 0",
            apt_get=f'echo "$*" >>{log}; case "$*" in *-s*) echo "Remv precious [1.0]";; esac',
        )
        done = self.run_script("scripts/deps", path=path)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("  precious\n", done.stderr)
        self.assertFalse([line for line in log.read_text().splitlines() if "install" in line and "-s" not in line])

    def test_what_is_missing_is_installed_without_questions(self):
        self.packages("libnone-such-dev build - for a test\n")
        log = self.dir / "log"
        path = self.tools(id="echo 0", apt_get=f'echo "$DEBIAN_FRONTEND $*" >>{log}')
        done = self.run_script("scripts/deps", path=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = log.read_text().splitlines()[-1]
        self.assertTrue(last.startswith("noninteractive ") and last.endswith(" install libnone-such-dev"), last)

    def test_an_old_grammar_is_replaced_only_by_the_right_one(self):
        self.packages("")
        self.put_grammar("c", "0.1.0")
        failing = self.tools(npm="echo no network >&2; exit 1")
        done = self.run_script("scripts/deps", path=failing)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no network", done.stderr)
        package = self.clone / "build/grammars/tree-sitter-c/package.json"
        self.assertIn("0.1.0", package.read_text())
        self.assertEqual(list((self.clone / "build").glob(".grammars*")), [])

        fetched = "".join(
            f"mkdir -p node_modules/tree-sitter-{name}/src; touch node_modules/tree-sitter-{name}/LICENSE;"
            f"printf '{{\\n  \"version\": \"0.23.6\"\\n}}\\n' >node_modules/tree-sitter-{name}/package.json;"
            for name in ("c", "python")
        )
        log = self.dir / "log"
        done = self.run_script("scripts/deps", path=self.tools(npm=f'echo "$*" >{log}; {fetched}'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0.23.6", package.read_text())
        self.assertIn("--ignore-scripts", log.read_text())

    def test_an_unknown_example_is_told_with_those_that_exist(self):
        (self.clone / "examples/only").mkdir(parents=True)
        (self.clone / "examples/only/instar.yaml").write_text("")
        for words in ([], ["onyl"]):
            done = self.run_script("scripts/example", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("there are: only;", done.stderr)
            self.assertIn("examples/README.md", done.stderr)

    def example(self, *words):
        """scripts/example with a program that only writes down what it is asked to do."""
        (self.clone / "examples/only").mkdir(parents=True, exist_ok=True)
        (self.clone / "examples/only/instar.yaml").write_text("")
        runs = '[ "$1" = evolve ] && [ "$4" != --dry-run ] && mkdir -p "$3/.git/instar/runs"'
        self.tools(instar=f'echo "$*" >>{self.dir}/log; {runs}; exit 0')
        return self.run_script(
            "scripts/example", "only", *words,
            INSTAR=str(self.dir / "tools/instar"), INSTAR_EXAMPLES=str(self.dir),
        )

    def repositories(self):
        return sorted(str(path) for path in self.dir.glob("instar-only-*"))

    def test_an_example_tells_how_to_remove_what_it_leaves(self):
        done = self.example("--seed", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        (left,) = self.repositories()
        self.assertIn(f"rm -rf {left}\n", done.stderr)
        self.assertIn("What was found", done.stderr)

    def test_help_of_an_example_makes_no_repository(self):
        done = self.example("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.dir / "log").read_text(), "help evolve\n")
        self.assertEqual(self.repositories(), [])

    def test_an_option_that_evolve_refuses_leaves_no_repository(self):
        (self.clone / "examples/only").mkdir(parents=True)
        (self.clone / "examples/only/instar.yaml").write_text("")
        self.tools(instar="echo 'no option --bogus' >&2; exit 2")
        done = self.run_script("scripts/example", "only", "--bogus",
                               INSTAR=str(self.dir / "tools/instar"), INSTAR_EXAMPLES=str(self.dir))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--bogus", done.stderr)
        self.assertEqual(self.repositories(), [])

    def test_help_of_each_script_does_nothing(self):
        before = sorted(str(path) for path in self.clone.rglob("*"))
        for script in ("demo", "test", "build", "example", "deps", "check"):
            for word in ("-h", "--help"):
                done = self.run_script(f"scripts/{script}", word)
                self.assertEqual((done.returncode, done.stderr), (0, ""), script)
                self.assertIn(f"scripts/{script}", done.stdout)
                self.assertNotIn("set -euo", done.stdout)
        self.assertEqual(sorted(str(path) for path in self.clone.rglob("*") if "build/home" not in str(path)), before)

    def test_what_a_script_does_not_know_is_refused_first(self):
        before = sorted(str(path) for path in self.clone.rglob("*"))
        for words in (["build", "bogus"], ["build", "dev", "more"], ["build", "base"], ["demo", "--bogus"],
                      ["test", "EditWindow"], ["test", "--bogus"], ["test", "--preset", "bogus"], ["check", "bogus"]):
            done = self.run_script(f"scripts/{words[0]}", *words[1:])
            self.assertEqual(done.returncode, 2, words)
            self.assertNotIn("takes some minutes", done.stderr, words)
        self.assertIn("release, dev", self.run_script("scripts/build", "bogus").stderr)
        self.assertEqual(sorted(str(path) for path in self.clone.rglob("*") if "build/home" not in str(path)), before)

    def test_an_example_that_began_no_run_has_found_nothing(self):
        done = self.example("--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("What was found", done.stderr)

    def build(self, *lines, code=0):
        path = self.tools(ninja="; ".join(f"echo '{line}'" for line in lines) + f"; exit {code}")
        return self.run_script("bash", "-c", "source scripts/lib.sh; run_ninja build", path=path)

    def test_a_build_without_a_terminal_is_told_in_tenths(self):
        done = self.build(*(f"[{i}/200] object {i}" for i in range(1, 201)))
        lines = done.stderr.splitlines()
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual((lines[0], lines[-1]), ("[1/200] object 1", "[200/200] object 200"))
        self.assertEqual(len(lines), 11)
        self.assertEqual(self.build("ninja: no work to do.").stderr, "")

    def test_what_a_step_of_the_build_says_is_told_whole(self):
        done = self.build("[1/90] a", "[2/90] b", "FAILED: b", "b.cc:1: error: no", code=1)
        self.assertEqual(done.returncode, 1)
        for words in ("FAILED: b", "b.cc:1: error: no", "the build failed"):
            self.assertIn(words, done.stderr)

    def test_package_sources_are_derived_from_the_machines_own(self):
        etc = self.dir / "etc"
        (etc / "sources.list.d").mkdir(parents=True)
        (etc / "sources.list").write_text("# deb x\ndeb [signed-by=/k] file:/mirror/debian stable main\n")
        (etc / "sources.list.d/a.sources").write_text("Types: deb deb-src\nURIs: file:/mirror/a\nSuites: stable\n")
        (etc / "sources.list.d/b.list").write_text("deb file:/mirror/b stable main\n")
        into = self.dir / "into"
        into.mkdir()
        source = "source scripts/lib.sh; source scripts/upstream.sh; source_entries " + str(into)
        done = self.run_script("bash", "-c", source, APT_ETC=str(etc))
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = {path.name: path.read_text() for path in into.iterdir()}
        self.assertEqual(
            texts,
            {
                "sources.list": "deb-src [signed-by=/k] file:/mirror/debian stable main\n",
                "a.sources": "Types: deb-src\nURIs: file:/mirror/a\nSuites: stable\n",
                "b.list": "deb-src file:/mirror/b stable main\n",
            },
        )

    def test_a_bug_is_put_back_in_exactly_one_place_or_not_at_all(self):
        file = self.dir / "code.c"
        replace = ["bash", "-c", 'source scripts/lib.sh; source scripts/upstream.sh; replace_once "$@"', "-", file]
        for text, code, after in (("a <= b;", 0, "a < b;"), ("a < b;", 1, "a < b;"), ("a <= b, a <= b", 1, "a <= b, a <= b")):
            file.write_text(text)
            self.assertEqual(self.run_script(*replace, "a <= b", "a < b").returncode, code)
            self.assertEqual(file.read_text(), after)


if __name__ == "__main__":
    unittest.main()
