"""A disk that is really full, met at every stage of a run: one clear error, nothing lost, and the run goes on when
there is space again.

The repository lies on a small file system in memory, in a mount namespace of the test's own. Each round leaves a
little more space than the one before, so that the disk fills at another point of the run.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INSTAR = os.environ["INSTAR"]
INSIDE = "INSTAR_TEST_MOUNTS"  # set for the test that runs inside the namespace
PLACE = pathlib.Path("/mnt")
ROUNDS = range(4, 140, 12)  # KiB left free; a whole run takes about 110


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def instar(*words, **environment):
    return subprocess.run([INSTAR, *words], capture_output=True, text=True, timeout=120, cwd="/",
                          env={**os.environ, **environment})


def used():
    space = os.statvfs(PLACE)
    return (space.f_blocks - space.f_bfree) * space.f_frsize


def make_target():
    made = subprocess.run(
        ["bash", "-c", 'source scripts/lib.sh; INSTAR_EXAMPLES="$1" make_target examples/ledger ledger', "-", PLACE],
        cwd=ROOT, check=True, capture_output=True, text=True)
    return made.stdout.strip()


class Repository(unittest.TestCase):
    def setUp(self):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", PLACE)
        self.addCleanup(subprocess.run, ["umount", "-l", PLACE], check=True)
        self.target = make_target()

    def run_with_space(self, kib):
        mount("-o", f"remount,size={used() // 1024 + kib}k", PLACE)
        done = instar("evolve", "-C", self.target, "--run-id", "full", "--seed", "1", "--json")
        mount("-o", "remount,size=64m", PLACE)
        return done

    def champion(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["champion"]["tree"]

    def assert_told(self, done):
        self.assertEqual(done.returncode, 70, done.stdout + done.stderr)
        self.assertIn("No space left", json.loads(done.stdout)["error"]["message"])

    def begin_again(self):
        """As the errors say: a run without any record has to go first."""
        again = ["evolve", "-C", self.target, "--run-id", "full", "--seed", "1", "--json"]
        done = instar(*again)
        if done.returncode == 0:
            return done
        directory = json.loads(done.stdout)["error"]["hint"].split("remove its directory ")[1]
        self.assertEqual(directory, self.target + "/.git/instar/runs/full")
        shutil.rmtree(directory)
        return instar(*again)

    def test_every_point_at_which_it_fills(self):
        undisturbed = self.champion(instar("evolve", "-C", self.target, "--run-id", "all", "--seed", "1", "--json"))
        told, whole, resumed = 0, 0, 0
        for kib in ROUNDS:
            shutil.rmtree(self.target)
            self.target = make_target()
            with self.subTest(kib=kib):
                done = self.run_with_space(kib)
                if done.returncode == 0:
                    whole += 1
                    self.assertEqual(self.champion(done), undisturbed)
                    continue
                told += 1
                self.assert_told(done)
                again = instar("resume", "-C", self.target, "full", "--json")
                if again.returncode == 2:  # it filled before the first record
                    again = self.begin_again()
                else:
                    resumed += 1
                self.assertEqual(self.champion(again), undisturbed)
                self.assertEqual(instar("verify", "-C", self.target, "full").returncode, 0)
        self.assertGreater(told, 3)
        self.assertGreater(resumed, 1)
        self.assertGreater(whole, 0, "the last rounds leave enough")


class Workspaces(unittest.TestCase):
    def test_a_full_scratch_directory_is_our_fault_and_said(self):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", PLACE)
        self.addCleanup(subprocess.run, ["umount", "-l", PLACE], check=True)
        target = make_target()
        scratch = PLACE / "scratch"
        scratch.mkdir()
        mount("-t", "tmpfs", "-o", "mode=1777,size=16k", "tmpfs", scratch)
        self.addCleanup(subprocess.run, ["umount", "-l", scratch], check=True)
        done = instar("evolve", "-C", target, "--json", TMPDIR=str(scratch))
        self.assertEqual(done.returncode, 70, done.stdout + done.stderr)
        self.assertIn("No space left", json.loads(done.stdout)["error"]["message"])
        mount("-o", "remount,size=64m", scratch)
        self.assertEqual(instar("evolve", "-C", target, "--json", TMPDIR=str(scratch)).returncode, 0)


if __name__ == "__main__":
    if os.environ.get(INSIDE) == "1":
        unittest.main()
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    sys.exit(subprocess.run([*own, sys.executable, "-B", *sys.argv], env={**os.environ, INSIDE: "1"}).returncode)
