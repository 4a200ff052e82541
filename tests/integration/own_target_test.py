"""Instar's own instar.yaml: its surface is narrow, and its stages work in a cell."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

INSTAR = os.environ["INSTAR"]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ("instar.yaml", "cli/graph.*", "base/*", "tests/unit/cli_graph_test.cc")
FOLDERS = ("base", "isolation", "checkpoints", "engine", "cli", "configs", "cmake", "scripts", "tests", ".ci")


class OwnTarget(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.root = pathlib.Path(temp.name)
        self.root.chmod(0o755)  # cells run as another user where the tests run as root
        for file in ROOT.glob("[!.]*.*"):
            if file.is_file():
                (self.root / file.name).touch()
        # Every name of the tree, so that a surface that grew shows; the contents of what is built.
        for folder in FOLDERS:
            for file in (ROOT / folder).rglob("*"):
                if file.is_file():
                    (self.root / file.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                    (self.root / file.relative_to(ROOT)).touch()
        for pattern in FILES:
            for file in ROOT.glob(pattern):
                shutil.copyfile(file, self.root / file.relative_to(ROOT))
        self.git("init", "-q", "-b", "main", ".")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "base")

    def git(self, *words):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *identity, *words], cwd=self.root, check=True, capture_output=True)

    def test_the_base_passes_in_a_cell_and_only_the_graph_may_change(self):
        done = subprocess.run(
            [INSTAR, "check", "--run", "--json"], cwd=self.root, capture_output=True, text=True, timeout=500
        )
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["surface"]["paths"], ["cli/graph.cc"])
        # The surface is C++, as instar.yaml says, and no other warning may be there.
        self.assertEqual(len(report["warnings"]), 1, report["warnings"])
        self.assertIn("can change no file of the surface", report["warnings"][0])
        self.assertEqual(report["run"]["verdict"], "passed", report["run"])
        written = len(re.findall(r"^(?:TEST|RC_GTEST_PROP)\(", (ROOT / "tests/unit/cli_graph_test.cc").read_text(), re.M))
        self.assertEqual(report["run"]["metrics"]["tests.total"], written)


if __name__ == "__main__":
    unittest.main()
