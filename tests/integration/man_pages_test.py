"""The man pages made from the manuals: each is sound for troff and says what the manual says."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAKE = ROOT / "cmake/man_pages.py"
MANUALS = sorted((ROOT / "cli").glob("cmd_*.md"))


def make(out, *manuals):
    subprocess.run([sys.executable, "-B", MAKE, "1.2.3", out, *manuals], check=True)


def shown(page):
    """The page as a reader sees it, without emphasis; and what troff complains about."""
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-rLL=200n", "-ww", page],
        capture_output=True, text=True, timeout=60,
    )
    return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout), done.stderr


class ManPages(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.out = pathlib.Path(temp.name)

    def test_every_manual_is_a_sound_page(self):
        make(self.out, *MANUALS)
        names = {"instar", *("instar-" + path.stem.removeprefix("cmd_") for path in MANUALS)}
        self.assertEqual({page.stem for page in self.out.iterdir()}, names)
        self.assertGreater(len(names), 10)
        for page in sorted(self.out.iterdir()):
            text, complaints = shown(page)
            self.assertEqual(complaints, "", page.name)
            self.assertRegex(text, rf"{page.stem} - \w", "the line that whatis and apropos read")

    def test_the_words_of_the_manual_arrive_as_they_are(self):
        make(self.out, *MANUALS)
        squeeze = lambda text: " ".join(text.split())
        for manual in MANUALS:
            text = squeeze(shown(self.out / f"instar-{manual.stem.removeprefix('cmd_')}.1")[0])
            for line in manual.read_text().splitlines():
                if line.startswith("    ") and line.strip():
                    self.assertIn(squeeze(line), text, manual.name)
                elif line.startswith("- `"):
                    self.assertIn(line[3 : line.index("`", 3)], text, manual.name)

    def test_what_means_something_to_troff_is_only_text(self):
        manual = self.out / "cmd_x.md"
        manual.write_text("# instar x\n\nDo `a\\nb`. Then more.\n\n## Examples\n\n    .so /etc/passwd\n    'br \\e -x `y`\n")
        make(self.out / "made", manual)
        text, complaints = shown(self.out / "made/instar-x.1")
        self.assertEqual(complaints, "")
        for words in ("instar-x - do a\\nb", ".so /etc/passwd", "'br \\e -x `y`"):
            self.assertIn(words, text)

    def test_a_fault_in_a_page_is_found(self):
        page = self.out / "bad.1"
        page.write_text('.TH X 1\n.SH NAME\nx \\- y\n.nosuchmacro\n')
        self.assertIn("nosuchmacro", shown(page)[1])


if __name__ == "__main__":
    unittest.main()
