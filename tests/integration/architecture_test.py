"""The rules of the source tree hold; and each check finds the fault that it is for."""

import pathlib
import tempfile
import unittest

import architecture

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class TheTree(unittest.TestCase):
    maxDiff = None

    def test_includes_run_downwards_only(self):
        self.assertEqual(architecture.include_direction(ROOT), [])
        self.assertEqual(architecture.module_links(ROOT), [])

    def test_headers_show_no_library(self):
        self.assertEqual(architecture.libraries_in_headers(ROOT), [])

    def test_every_library_is_used(self):
        self.assertEqual(architecture.unused_libraries(ROOT), [])

    def test_files_are_short(self):
        self.assertEqual(architecture.long_files(ROOT), [])

    def test_nothing_returns_from_a_braced_list(self):
        self.assertEqual(architecture.returns_from_lists(ROOT), [])

    def test_names_of_types_are_unique(self):
        self.assertEqual(architecture.type_names(ROOT), [])

    def test_verbs_have_manuals_with_examples(self):
        self.assertEqual(architecture.manuals(ROOT), [])

    def test_speaks_of_itself_alone(self):
        self.assertEqual(architecture.foreign_words(ROOT), [])

    def test_examples_are_complete(self):
        self.assertEqual(architecture.examples(ROOT), [])


class TheChecks(unittest.TestCase):
    """Each on a small tree with one fault and something allowed beside it."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.root = pathlib.Path(temp.name)

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_finds(self, faults, *names):
        self.assertEqual(len(faults), len(names), faults)
        for fault, name in zip(faults, names):
            self.assertIn(name, fault)

    def test_one_name_for_two_types(self):
        self.put("engine/a/a.h", "namespace instar::engine {\nstruct Draft {\n};\n}\n")
        self.put("engine/b/b.h", "namespace instar::engine {\nclass Draft final : public X {\n};\n}\n")
        self.put("isolation/c.h", "namespace instar::isolation {\nstruct Draft {\n};\n}\n")
        self.assert_finds(architecture.type_names(self.root), "engine/b/b.h")

    def test_a_return_from_a_braced_list(self):
        self.put("base/a.cc", "A made{.x = f(), .y = {},\n  .z = INSTAR_TRY(g())};\n")
        self.put("base/b.cc", "A made{.x = INSTAR_TRY(g())};\nvoid f() { a, b; INSTAR_TRY(g()); }\n")
        self.assert_finds(architecture.returns_from_lists(self.root), "base/a.cc:2")

    def test_upward_and_sideward_includes(self):
        self.put("base/a.h", '#include "isolation/cell.h"\n#include "base/b.h"\n#include <vector>\n')
        self.put("isolation/cell.cc", '#include "checkpoints/store.h"\n#include "base/a.h"\n')
        self.put("engine/run/loop.cc", '#include "cli/output.h"\n#include "isolation/cell.h"\n')
        self.put("cli/x.cc", '#include "tests/support/fake.h"\n#include "cmd_x_md.h"\n')
        self.put("tests/support/fake.h", "")
        self.assert_finds(
            architecture.include_direction(self.root),
            "base/a.h:1", "isolation/cell.cc:1", "engine/run/loop.cc:1", "cli/x.cc:1",
        )

    def test_upward_and_sideward_links(self):
        self.put(
            "CMakeLists.txt",
            "instar_module(base)\ninstar_module(isolation DEPS instar_base instar_checkpoints)\n"
            "instar_module(checkpoints DEPS instar_base)\ninstar_module(engine/run DEPS instar_cli)\n"
            "instar_module(cli DEPS instar_run)\n",
        )
        self.assert_finds(architecture.module_links(self.root), "isolation may not", "engine/run may not")

    def test_libraries_in_headers(self):
        self.put("engine/x.h", "#include <yaml-cpp/yaml.h>\n#include <nlohmann/json_fwd.hpp>\n")
        self.put("engine/x.cc", "#include <yaml-cpp/yaml.h>\n")
        self.assert_finds(architecture.libraries_in_headers(self.root), "engine/x.h:1")

    def test_unused_libraries(self):
        self.put(
            "cmake/dependencies.cmake",
            "find_package(Threads REQUIRED)\nfind_package(fmt REQUIRED)\nfind_package(unheard_of)\n"
            "pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)\n",
        )
        self.put("cli/x.cc", "#include <zstd.h>\n")
        self.assert_finds(architecture.unused_libraries(self.root), "fmt: no file", "unheard_of: how")

    def test_long_files(self):
        self.put("base/long.cc", "\n" * 401)
        self.put("base/short.cc", "\n" * 400)
        self.assert_finds(architecture.long_files(self.root), "base/long.cc: 401")

    def test_manuals(self):
        self.put("cli/cmd_a.cc", "")
        self.put("cli/cmd_b.cc", "")
        self.put("cli/cmd_b.md", "b\n\nExamples:\n  instar a\n")
        self.put("cli/cmd_c.cc", "")
        self.put("cli/cmd_c.md", "c\n\n## Examples\n\n    instar -C dir c --json\n")
        self.assert_finds(architecture.manuals(self.root), "cmd_a: .md", "cmd_b.md")

    def test_foreign_words(self):
        self.put("docs/a.md", "the cell's workspace is /work\nsee /work" + "/main\n")
        self.put("build/b.md", "see /work" + "/main\n")
        self.assert_finds(architecture.foreign_words(self.root), "docs/a.md:2")

    def test_examples(self):
        self.put("examples/README.md", "[good](good/README.md)")
        self.put("examples/good/README.md", "\n    scripts/example good\n")
        self.put("examples/good/instar.yaml", 'sealed: ["tests/**"]\n')
        self.put("examples/bad/instar.yaml", "surface: {}\n")
        self.assert_finds(architecture.examples(self.root), "bad/README", "not sealed", "not listed")


if __name__ == "__main__":
    unittest.main()
