"""What every command does with its two streams, whatever happens to them."""

import json
import os
import pathlib
import pty
import resource
import subprocess
import tempfile
import unittest

INSTAR = os.environ["INSTAR"]


def instar(*words, out=subprocess.PIPE):
    return subprocess.run([INSTAR, *words], stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, cwd="/")


class FullDisk(unittest.TestCase):
    """/dev/full: every write to it says that there is no space."""

    def setUp(self):
        self.full = open("/dev/full", "w")
        self.addCleanup(self.full.close)

    def test_lost_data_is_told_and_ends_with_seventy(self):
        done = instar("version", out=self.full)
        self.assertEqual(done.returncode, 70)
        self.assertIn("standard output: No space left", done.stderr)
        self.assertEqual(instar("version").returncode, 0)

    def test_the_commands_own_error_and_exit_code_are_kept(self):
        for words in (["init", "/nowhere"], ["init", "/nowhere", "--json"]):
            done = instar(*words, out=self.full)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("cannot list /nowhere", done.stderr)
        self.assertIn("standard output", done.stderr)


    def test_the_reason_is_told_however_much_was_printed(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp)
            faulty(root)
            done = instar("check", "-C", temp, out=self.full)
            self.assertEqual(done.returncode, 70)
            self.assertIn("standard output: No space left", done.stderr)
            self.assertNotIn("free some disk space", done.stderr)

    def test_a_run_is_recorded_though_its_report_is_lost(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp)
            faulty(root)
            ours, theirs = os.pipe()
            os.close(ours)
            for name, out, more in (("full", self.full, []), ("object", self.full, ["--json"]), ("pipe", theirs, [])):
                done = instar("evolve", "-C", temp, "--seed", "1", "--run-id", name, *more, out=out)
                self.assertEqual(done.returncode, 70, done.stderr)
                self.assertEqual(done.stderr.count("cannot write to standard output"), 1, done.stderr)
                self.assertIn(f"run {name} is recorded", done.stderr)
                self.assertEqual(instar("status", "-C", temp, name).returncode, 0)
            os.close(theirs)

    def test_a_cell_ends_with_its_own_number(self):
        self.assertEqual(instar("cell", "--level", "guarded", "--", "echo", "x", out=self.full).returncode, 125)
        self.assertEqual(instar("cell", "--level", "guarded", "--", "sh", "-c", "exit 70").returncode, 70)


class Manuals(unittest.TestCase):
    def test_json_gives_one_object(self):
        for words in (["help"], ["--help"], ["help", "evolve"], ["evolve", "--help"]):
            told = json.loads(instar(*words, "--json").stdout)
            self.assertEqual(told["schema_version"], 1, words)
            self.assertTrue(told.get("manual") or told.get("commands"), words)


class InheritedLimits(unittest.TestCase):
    """What a shell's `ulimit` leaves us is met with an error, never with a signal."""

    def run_below(self, limit, value, *words, tmp="/tmp"):
        return subprocess.run([INSTAR, *words], capture_output=True, text=True, timeout=60, cwd="/",
                              env={**os.environ, "TMPDIR": tmp},
                              preexec_fn=lambda: resource.setrlimit(limit, (value, value)))

    def test_a_file_that_may_not_grow_is_an_error_that_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as work:
            os.chmod(place, 0o711)
            pathlib.Path(work, "big").write_bytes(os.urandom(100_000))
            cell = ["cell", "--level", "guarded", "--workspace", work, "--writable", "--"]
            done = self.run_below(resource.RLIMIT_FSIZE, 20_000, *cell, "true", tmp=place)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(os.listdir(place), [])
            enough = self.run_below(resource.RLIMIT_FSIZE, 200_000, *cell, "true", tmp=place)
            self.assertEqual(enough.returncode, 0, enough.stderr)

    def test_the_signal_is_the_cells_again(self):
        # dd does not ignore it, and ends by it.
        write = ["dd", "if=/dev/zero", "of=f", "bs=64k", "count=2"]
        cell = ["cell", "--level", "guarded", "--writable", "--limit", "file_size=64KiB", "--json", "--"]
        self.assertEqual(json.loads(instar(*cell, *write).stdout)["limit"], "file_size")

    def test_a_stack_that_is_too_small_is_told(self):
        done = self.run_below(resource.RLIMIT_STACK, 256 * 1024, "doctor")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("256 KiB", done.stderr)
        self.assertEqual(self.run_below(resource.RLIMIT_STACK, 1 << 20, "doctor").returncode, 0)


def faulty(root):
    """A repository with a program that one edit repairs."""
    root.chmod(0o755)  # cells run as another user where the tests run as root
    (root / "larger.py").write_text("def larger(a, b):\n    return a if a < b else b\n")
    (root / "instar.yaml").write_text(
        'version: 1\nsurface: {allow: [larger.py]}\n'
        'evaluate: [{name: t, run: "python3 -c \'from larger import larger; assert larger(1, 2) == 2\'"}]\n'
        "objectives: [{metric: stages.failed, goal: minimize}]\n"
    )
    for words in (["init", "-q", "."], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def repaired(root):
    faulty(root)
    subprocess.run([INSTAR, "evolve", "--json"], cwd=root, check=True, capture_output=True, timeout=120)


class Threads(unittest.TestCase):
    """The host has no room for one more thread: the standard library throws, far below the command."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.root = pathlib.Path(temp.name)
        faulty(self.root)

    def evolve(self, jobs):
        def little_room():
            # A thread takes as much as the stack may grow: five of them fit.
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

        return subprocess.run(
            [INSTAR, "evolve", "--json", "--jobs", jobs], cwd=self.root, capture_output=True, text=True,
            timeout=120, preexec_fn=little_room,
        )

    def test_becomes_one_error_with_its_exit_code(self):
        done = self.evolve("16")
        self.assertEqual(done.returncode, 70, done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["code"], "io")
        self.assertIn("--jobs", error["hint"])
        self.assertEqual(self.evolve("1").returncode, 0)


class Color(unittest.TestCase):
    """A repaired program, whose patch is shown on a terminal."""

    def on_a_terminal(self, root, **environment):
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", buffering=0) as screen:
            env = {"PATH": "/usr/bin:/bin", "HOME": str(root), "TERM": "xterm", **environment}
            child = subprocess.Popen([INSTAR, "diff"], stdout=theirs, stderr=theirs, stdin=theirs, cwd=root, env=env)
            os.close(theirs)
            shown = b""
            try:
                while data := screen.read(4096):
                    shown += data
            except OSError:  # how the end of a terminal shows on Linux
                pass
            self.assertEqual(child.wait(timeout=60), 0, shown)
        return shown

    def test_is_for_terminals_that_have_it_and_users_who_want_it(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp)
            repaired(root)
            self.assertIn(b"\x1b[", self.on_a_terminal(root))
            for off in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
                shown = self.on_a_terminal(root, **off)
                self.assertIn(b"+++ b/larger.py", shown)
                self.assertNotIn(b"\x1b", shown, off)


class Advice(unittest.TestCase):
    def test_the_objective_that_is_advised_is_of_a_stage_that_exists(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp)
            faulty(root)
            (root / "instar.yaml").write_text(
                "version: 1\nsurface: {allow: [larger.py]}\n"
                'evaluate: [{name: build, run: "python3 -m py_compile larger.py || python3 -c \'import larger\'"}]\n'
                "objectives: [{metric: stages.failed, goal: minimize}]\n")
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qam", "no tests"],
                           cwd=root, check=True)
            done = instar("evolve", "-C", temp)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("{metric: build.cpu_s, goal: minimize}", done.stdout)


class Words(unittest.TestCase):
    def test_without_a_command_the_overview_is_told_once(self):
        done = instar()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, instar("--help").stdout)
        self.assertIn("error", json.loads(instar("--json").stdout))

    def test_help_is_a_command_too(self):
        self.assertEqual(instar("help").stdout, instar("--help").stdout)
        self.assertEqual(instar("help", "log").stdout, instar("log", "--help").stdout)
        self.assertEqual(instar("help", "--help").stdout, instar("--help").stdout)
        done = instar("help", "lgo")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean `instar log`?", done.stderr)
        self.assertEqual(instar("help", "log", "show").returncode, 2)

    def test_every_help_fits_a_terminal(self):
        names = [line.split()[0] for line in instar("help").stdout.splitlines() if line.startswith("  ")]
        for name in names[names.index("evolve") :]:
            for line in instar("help", name).stdout.splitlines():
                self.assertLess(len(line), 100, f"{name}: {line}")

    def test_an_option_with_a_wrong_value_is_not_taken_for_a_typo(self):
        done = instar("evolve", "--seed", "abc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--seed", done.stderr)
        self.assertNotIn("did you mean", done.stderr)
        self.assertIn("did you mean --seed?", instar("evolve", "--sede", "1").stderr)
        self.assertIn("did you mean --seed?", instar("evolve", "--sede=1").stderr)

    def test_two_letters_that_changed_places_are_understood(self):
        for typed, meant in (("evovle", "evolve"), ("lgo", "log")):
            done = instar(typed)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"did you mean `instar {meant}`?", done.stderr)

    def test_help_needs_none_of_what_the_command_requires(self):
        for words in (["cell", "--help"], ["resume", "-h"], ["--help"]):
            done = instar(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("xamples", done.stdout)

    def test_version_names_what_it_is_made_of(self):
        told = json.loads(instar("version", "--json").stdout)
        self.assertRegex(told["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(told["languages"], ["c", "python"])
        self.assertIn("libgit2", told["libraries"])
        self.assertIn("commit", told)
        text = instar("version").stdout
        self.assertIn(f"instar {told['version']}", text)
        self.assertIn(told["libraries"]["libgit2"], text)
        self.assertEqual(instar("--version").stdout, text)
        self.assertEqual(instar("-V").stdout, text)


if __name__ == "__main__":
    unittest.main()
