"""What the policy's caps do to a run, and how they are told."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INSTAR = os.environ["INSTAR"]
USAGE, CUT_SHORT = 2, 6


def instar(*words):
    return subprocess.run([INSTAR, *words], capture_output=True, text=True, timeout=120, cwd="/")


class Caps(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        os.chmod(place.name, 0o755)
        made = subprocess.run(
            ["bash", "-c", 'source scripts/lib.sh; INSTAR_EXAMPLES="$1" make_target examples/csv csv', "-", place.name],
            cwd=ROOT, check=True, capture_output=True, text=True)
        self.target = made.stdout.strip()
        self.policy = pathlib.Path(place.name, "safety.yaml")
        self.policy.write_text("version: 1\nrun: {variants: 3}\n")

    def test_a_run_ends_at_the_cap_and_its_resume_cannot_go_beyond(self):
        run = ("evolve", "-C", self.target, "--policy", self.policy, "--run-id", "r", "--seed", "1")
        cut = instar(*run, "--variants", "9")
        self.assertEqual(cut.returncode, CUT_SHORT, cut.stderr)
        self.assertIn("--variants is cut to the policy's run.variants, 3", cut.stdout + cut.stderr)
        self.assertIn("the policy's cap run.variants ended it", cut.stdout)
        more = instar("resume", "-C", self.target, "r", "--variants", "9")
        self.assertEqual(more.returncode, USAGE, more.stderr)
        self.assertIn("run.variants", more.stderr)
        self.assertIn("--base refs/instar/r/champion", more.stderr)
        self.assertEqual(instar("verify", "-C", self.target, "r").returncode, 0)

    def test_below_the_cap_a_run_goes_on(self):
        run = ("evolve", "-C", self.target, "--policy", self.policy, "--run-id", "r", "--seed", "1")
        first = instar(*run, "--variants", "1")
        self.assertNotIn("is cut", first.stdout + first.stderr)
        more = instar("resume", "-C", self.target, "r", "--variants", "2")
        self.assertIn(more.returncode, (0, 1), more.stderr)


if __name__ == "__main__":
    unittest.main()
