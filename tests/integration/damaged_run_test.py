"""A run whose files were damaged or came from somebody else: told with exit code 5, and left as it is found."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INSTAR = os.environ["INSTAR"]
INTEGRITY = 5
LOOKS = ("status", "log", "lineage", "show")


def instar(*words, **options):
    return subprocess.run([INSTAR, *words], capture_output=True, text=True, timeout=120, cwd="/", **options)


def rechained(lines, change):
    """The records with fields changed and the chain made again, as somebody who sends a repository could."""
    prev, made = "0" * 64, []
    for line in lines:
        record = json.loads(line)
        change(record)
        line = line.replace(json.loads(line)["prev"], prev) if record == json.loads(line) else json.dumps(
            {**record, "prev": prev}, separators=(",", ":"), ensure_ascii=False)
        made.append(line)
        prev = hashlib.sha256(line.encode()).hexdigest()
    return "".join(line + "\n" for line in made)


class DamagedRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        os.chmod(cls.place.name, 0o755)
        made = subprocess.run(
            ["bash", "-c", 'source scripts/lib.sh; INSTAR_EXAMPLES="$1" make_target examples/bitset bitset', "-",
             cls.place.name], cwd=ROOT, check=True, capture_output=True, text=True)
        cls.whole = pathlib.Path(made.stdout.strip())
        done = instar("evolve", "-C", cls.whole, "--seed", "1", "--run-id", "r1", "--json")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        self.target = pathlib.Path(self.place.name, self.id().rsplit(".", 1)[1])
        shutil.copytree(self.whole, self.target, symlinks=True)
        self.run = self.target / ".git/instar/runs/r1"
        self.ledger = self.run / "ledger.jsonl"

    def on(self, *words):
        return instar(words[0], "-C", self.target, *words[1:])

    def state(self):
        return {path.name: path.read_bytes() for path in self.run.rglob("*")
                if path.is_file() and path.name != "lock"}

    def test_control(self):
        for look in LOOKS:
            self.assertEqual(self.on(look).returncode, 0, look)
        self.assertEqual(self.on("verify").returncode, 0)

    def test_a_ledger_that_is_gone(self):
        self.ledger.unlink()
        before = self.state()
        for look in (*LOOKS, "verify", "resume", "rollback"):
            done = self.on(look, *(["r1"] if look in ("resume", "rollback", "verify") else []))
            self.assertEqual(done.returncode, INTEGRITY, f"{look}: {done.stdout}{done.stderr}")
        self.assertEqual(self.state(), before, "nothing is made in its place")

    def test_a_champion_that_somebody_else_makes_while_the_run_works(self):
        evolve = subprocess.Popen([INSTAR, "evolve", "-C", self.target, "--seed", "1", "--run-id", "r2"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/")
        while not (self.run.parent / "r2/ledger.jsonl").exists() and evolve.poll() is None:
            time.sleep(0.005)
        subprocess.run(["git", "-C", self.target, "update-ref", "refs/instar/r2/champion", "HEAD"], check=True)
        _, told = evolve.communicate(timeout=120)
        self.assertEqual(evolve.returncode, INTEGRITY, told)
        self.assertIn("refs/instar/r2/champion", told)

    def test_a_last_record_that_lost_a_byte(self):
        whole = self.ledger.read_bytes()
        self.ledger.write_bytes(whole[:-1])
        before = self.state()
        for change in ("resume", "rollback"):
            done = self.on(change, "r1")
            self.assertEqual(done.returncode, INTEGRITY, done.stdout + done.stderr)
            self.assertEqual(self.state(), before, change)
        self.ledger.write_bytes(whole)
        self.assertEqual(self.on("verify").returncode, 0, "one byte mends it")

    def test_escapes_in_what_is_printed_as_it_is(self):
        lines = self.ledger.read_text().splitlines()
        for type_, field in (("run_started", "base_commit"), ("judged", "verdict"), ("run_ended", "ended"),
                             ("admitted", "variant"), ("accepted", "commit")):
            def change(record):
                if record["type"] == type_:
                    record[field] = "\x1b[31mred"
            self.ledger.write_text(rechained(lines, change))
            for look in LOOKS:
                done = self.on(look)
                self.assertEqual(done.returncode, INTEGRITY, f"{field}, {look}: {done.stdout}{done.stderr}")
                self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.ledger.write_text(rechained(lines, lambda record: None))
        self.assertEqual(self.on("status").returncode, 0, "the control: the same chain, made again")

    def test_the_patch_of_a_checkpoint_outlives_its_segment(self):
        kept = self.on("show", "--source", "champion").stdout
        for segment in (self.run / "segments").iterdir():
            segment.unlink()
        done = self.on("show", "--source", "champion")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, kept)
        self.assertIn("+++ ", kept)


if __name__ == "__main__":
    unittest.main()
