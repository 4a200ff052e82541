"""`instar init` and `instar check` on real repositories: what they write, what they tell, what they leave alone."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

INSTAR = os.environ["INSTAR"]

SOURCE = "def larger(a, b):\n    return a if a < b else b\n"
TEST = "from larger import larger\n\n\ndef test_larger():\n    assert larger(1, 2) == 2\n\n\ndef test_same():\n    assert larger(3, 3) == 3\n"


class Repository(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="instar init ä ")
        self.addCleanup(temp.cleanup)
        self.root = pathlib.Path(temp.name)
        # Cells run as another user where the tests run as root.
        self.root.chmod(0o755)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": temp.name, "LANG": "C.UTF-8"}
        self.put("src/larger.py", SOURCE)
        self.put("tests/test_larger.py", TEST)
        self.commit("git", "init", "-q", "-b", "main", ".")

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        return subprocess.run(
            ["git", *identity, *words], cwd=self.root, env=self.env, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, *first):
        if first:
            self.git(*first[1:])
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "state")

    def instar(self, *words):
        return subprocess.run(
            [INSTAR, *words], cwd=self.root, env=self.env, capture_output=True, text=True, timeout=120
        )

    def state(self):
        """Everything that git can tell about the repository, and every file below .git but the index's clock."""
        files = {p: p.read_bytes() for p in self.root.rglob("*") if p.is_file() and p.name != "index"}
        return files, self.git("status", "--porcelain"), self.git("for-each-ref")


class Init(Repository):
    def test_writes_a_file_that_check_takes(self):
        done = self.instar("init")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("instar check --run", done.stdout)
        self.assertIn("instar evolve", done.stdout)
        self.commit()
        checked = self.instar("check", "--json")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        report = json.loads(checked.stdout)
        self.assertEqual(report["surface"]["paths"], ["src/larger.py"])
        self.assertEqual(report["sealed"]["files"], 1)
        self.assertEqual(report["warnings"], [])

    def test_never_replaces_a_file(self):
        self.put("instar.yaml", "mine\n")
        before = self.state()
        done = self.instar("init")
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists already", done.stderr)
        self.assertEqual(self.state(), before)

    def test_stdout_and_json_write_what_they_say(self):
        before = self.state()
        printed = self.instar("init", "--stdout")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertEqual(self.state(), before)
        done = json.loads(self.instar("init", "--json").stdout)
        self.assertTrue(done["written"])
        self.assertEqual(done["languages"], ["Python"])
        self.assertEqual((self.root / "instar.yaml").read_text(), done["text"])
        self.assertEqual(done["text"], printed.stdout)

    def test_a_part_of_a_repository_is_refused_and_its_top_is_named(self):
        before = self.state()
        done = self.instar("init", "src")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("at the top", done.stderr)
        self.assertIn(f"instar init {self.root}", done.stderr)
        self.assertEqual(self.state(), before)
        self.assertEqual(self.instar("init", "src/..").returncode, 0)

    def test_without_a_repository_the_file_is_written_and_the_lack_is_told(self):
        with tempfile.TemporaryDirectory() as other:
            pathlib.Path(other, "larger.py").write_text(SOURCE)
            done = json.loads(self.instar("init", other, "--json").stdout)
            self.assertTrue(done["written"])
            self.assertTrue(any("git init" in line for line in done["missing"]), done["missing"])
            self.assertNotIn("repository", done["text"])

    def test_without_tests_the_next_step_is_to_write_some(self):
        self.git("rm", "-q", "-r", "tests")
        done = self.instar("init")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Next: write tests", done.stdout)
        self.assertNotIn("instar evolve", done.stdout)

    def test_missing_directory_is_one_error(self):
        done = self.instar("init", "nowhere", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere", json.loads(done.stdout)["error"]["message"])


class Check(Repository):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.instar("init").returncode, 0)
        self.commit()

    def test_run_shows_the_failing_test_and_changes_nothing(self):
        before = self.state()
        done = self.instar("check", "--run", "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        run = json.loads(done.stdout)["run"]
        self.assertEqual(run["verdict"], "failed")
        self.assertEqual(run["metrics"]["tests.failed"], 1)
        self.assertEqual(run["metrics"]["tests.total"], 2)
        self.assertEqual(len(run["failing"]), 1)
        self.assertIn("test_larger", run["failing"][0])
        self.assertEqual(self.state(), before)

    def test_values_show_where_they_come_from(self):
        self.put("policy.yaml", "version: 1\ncell: {memory: 1GiB}\n")
        with open(self.root / "instar.yaml", "a") as file:
            file.write("safety: {run: {variants: 10}}\n")
        done = self.instar("check", "--policy", "policy.yaml", "--json")
        values = {v["key"]: (v["value"], v["source"]) for v in json.loads(done.stdout)["policy"]["values"]}
        self.assertEqual(values["cell.memory"], ("1GiB", "policy.yaml:2"))
        self.assertEqual(values["cell.cpu"], ("60s", "built-in"))
        self.assertEqual(values["run.variants"][0], "10")
        self.assertTrue(values["run.variants"][1].startswith("instar.yaml:"))

    def test_mistake_in_either_file_is_one_error_with_its_place(self):
        self.put("policy.yaml", "version: 1\ncell: {memroy: 1GiB}\n")
        done = self.instar("check", "--policy", "policy.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("policy.yaml:2:8: cell.memroy", done.stderr)
        self.assertIn("did you mean `memory`", done.stderr)
        self.put("instar.yaml", "version: 1\nsurface: {alow: [a]}\n")
        done = self.instar("check")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("instar.yaml:2:11: surface.alow", done.stderr)

    def test_level_that_the_host_lacks_ends_with_three(self):
        done = self.instar("check", "--level", "container")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--level container", done.stdout)
        done = self.instar("check", "--level", "container", "--json")
        self.assertEqual(done.returncode, 3)
        self.assertFalse(json.loads(done.stdout)["level"]["suffices"])
        self.assertEqual(self.instar("check", "--level", "guarded").returncode, 0)

    def test_what_is_the_users_own_stands_before_the_policy(self):
        shown = self.instar("check").stdout
        titles = [line.split(":")[0] for line in shown.splitlines() if not line.startswith(" ")]
        self.assertEqual(titles, ["target", "base", "level", "policy"])
        self.assertIn("surface    1 file of it may change:\n             src/larger.py\n", shown)
        self.assertIn("sealed     1 file of it is checked", shown)
        lines = (self.root / "instar.yaml").read_text().splitlines()
        written = next(i for i, line in enumerate(lines, 1) if "metric: tests.failed" in line)
        self.assertRegex(shown, rf"objectives\[0\] .*\[instar.yaml:{written}\]")

    def test_long_lists_of_names_are_counted_only(self):
        for i in range(11):
            self.put(f"src/m{i}.py", "")
        self.commit()
        shown = self.instar("check").stdout
        self.assertIn("surface    12 files of it may change\n", shown)
        self.assertNotIn("             src/", shown)

    def test_a_deadline_far_above_the_slowest_test_is_told(self):
        done = self.instar("check", "--run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"slowest    a test of stage test: \d+ms of CPU; each may take ")
        text = (self.root / "instar.yaml").read_text()
        self.put("instar.yaml", text.replace("# per_test: 300ms", "per_test: 30s"))
        done = self.instar("check", "--run")
        self.assertRegex(done.stderr, r"note: .* costs 30s .* `per_test: \d+ms` in stage test")
        self.put("instar.yaml", text.replace("# per_test: 300ms", "per_test: 20ms"))
        done = self.instar("check", "--run")
        self.assertNotIn("note:", done.stderr)

    def warnings(self, text):
        self.put("instar.yaml", text)
        done = self.instar("check", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        return "\n".join(w for w in json.loads(done.stdout)["warnings"] if "uncommitted" not in w)

    def test_a_script_that_a_variant_may_change_is_warned_of(self):
        self.put("src/bench.py", "")
        self.commit()
        text = (self.root / "instar.yaml").read_text().replace(
            "\nobjectives:", '\n  - {name: bench, run: "python3 src/bench.py"}\nobjectives:')
        self.assertIn("stage bench runs src/bench.py", self.warnings(text))
        self.assertEqual(self.warnings(text.replace("sealed:\n", 'sealed:\n  - "src/bench.py"\n')), "")

    def test_a_surface_of_everything_with_nothing_sealed_is_warned_of(self):
        text = (
            'version: 1\nsurface: {allow: ["**"]}\n%s'
            'evaluate: [{name: t, run: "python3 -m pytest", report: {pytest: stream}}]\n'
            "objectives: [{metric: tests.failed, goal: minimize}]\n"
        )
        self.assertIn("may change the tests that judge it", self.warnings(text % ""))
        self.assertEqual(self.warnings(text % 'sealed: ["tests/**"]\n'), "")

    def test_stages_without_a_report_are_warned_of(self):
        text = (
            'version: 1\nsurface: {allow: ["src/*.py"]}\nsealed: ["tests/**"]\n'
            "evaluate: [{name: t, run: pytest%s}]\nobjectives: [{metric: %s, goal: minimize}]\n"
        )
        self.assertIn("no test report", self.warnings(text % ("", "stages.failed")))
        self.assertEqual(self.warnings(text % ("", "t.cpu_s")), "")
        self.assertEqual(self.warnings(text % (", report: {pytest: stream}", "tests.failed")), "")

    def test_uncommitted_changes_are_warned_of_and_the_file_that_counts_is_named(self):
        self.put("src/larger.py", SOURCE + "\n")
        done = self.instar("check")
        self.assertRegex(done.stderr, r"which is commit [0-9a-f]{12}; only instar.yaml is read from the working")

    def test_below_the_top_the_place_of_the_file_is_named(self):
        done = self.instar("check", "src")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not the top of its repository", done.stderr)
        self.assertIn(f"run instar with -C '{self.root}'", done.stderr)
        self.assertIn('"src/**"', done.stderr)

    def test_patterns_that_match_nothing_are_warned_of(self):
        text = (self.root / "instar.yaml").read_text()
        self.put("instar.yaml", text.replace('- "src/*.py"', '- "src/*.py"\n    - "lib/*.py"'))
        done = self.instar("check")
        self.assertEqual(done.returncode, 0)
        self.assertIn("lib/*.py (instar.yaml:", done.stderr)

    def test_a_surface_that_matches_nothing_is_the_same_error_as_of_evolve(self):
        text = (self.root / "instar.yaml").read_text()
        self.put("instar.yaml", text.replace("src/*.py", "lib/*.py"))
        done, refused = self.instar("check"), self.instar("evolve")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"the surface matches no file of main: lib/\*\.py \(instar.yaml:")
        self.assertEqual((refused.returncode, refused.stderr), (2, done.stderr))

    def test_the_target_file_alone_is_no_uncommitted_change(self):
        self.git("rm", "-q", "--cached", "instar.yaml")
        self.git("commit", "-q", "-m", "as after init")
        self.assertNotIn("uncommitted", self.instar("check").stderr)
        self.assertNotIn("uncommitted", self.instar("evolve", "--dry-run").stderr)

    def test_tests_that_git_ignores_are_told(self):
        self.put(".gitignore", "tests/\n")
        self.git("rm", "-q", "-r", "--cached", "tests")
        self.commit()
        said = "not committed (ignored or new), so no stage sees them: tests/test_larger.py"
        self.assertIn(said, self.instar("check").stderr)
        self.assertIn(said, self.instar("evolve", "--dry-run").stderr)
        done = json.loads(self.instar("check", "--run", "--json").stdout)
        self.assertIn(said, done["error"]["hint"])

    def test_a_stage_without_a_report_that_lacks_its_tests_says_so(self):
        text = (self.root / "instar.yaml").read_text()
        text = text[: text.index("evaluate:")] + (
            "evaluate: [{name: test, run: 'sh tests/run.sh'}]\n"
            "objectives: [{metric: stages.failed, goal: minimize}]\n"
        )
        self.put("instar.yaml", text)
        self.put("tests/run.sh", "exit 1\n")
        done = json.loads(self.instar("check", "--run", "--json").stdout)
        self.assertIn("not committed (ignored or new), so no stage sees them: tests/run.sh", done["run"]["reason"])
        self.commit()
        done = json.loads(self.instar("check", "--run", "--json").stdout)
        self.assertNotIn("not committed", done["run"]["reason"])

    def test_a_base_that_lacks_one_of_the_tests_is_told_when_it_cannot_run(self):
        self.put("tests/unrelated.txt", "committed\n")
        self.put(".gitignore", "tests/*.py\n")
        self.git("rm", "-q", "--cached", "tests/test_larger.py")
        self.commit()
        self.assertNotIn("not committed", self.instar("check").stderr)
        done = json.loads(self.instar("check", "--run", "--json").stdout)
        self.assertIn("tests/test_larger.py", done["error"]["hint"])

    def test_no_repository_is_one_error(self):
        with tempfile.TemporaryDirectory() as other:
            pathlib.Path(other, "instar.yaml").write_text((self.root / "instar.yaml").read_text())
            done = self.instar("check", other)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("repository", done.stderr)


if __name__ == "__main__":
    unittest.main()
