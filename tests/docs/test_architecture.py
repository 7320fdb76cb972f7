"""ARCHITECTURE.md tells the truth: the map is complete, imports go one way, the backend shown there works."""

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from tests.command import hfpy_process
from tests.docs.markdown import Block, holds, sections, stands_in

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "hfpy"
LINE = ("model", "parse", "analyze", "transform", "backends")


def part(title: str) -> str:
    """The text under a heading of the second level."""
    return PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


@dataclass(frozen=True)
class Read:
    """What is asked of a module's tree. The tree is not kept: all of them together take 200 MB."""

    imports: list[ast.Import | ast.ImportFrom]
    for_types: set[int]  # the places, in that list, of imports for types alone
    text_lines: list[int]  # the lines that search or cut a text


@cache
def read(path: Path) -> Read:
    """A module, read once for all tests here: that takes most of their time."""
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    for_types = {
        id(node)
        for block in (nodes if "TYPE_CHECKING" in text else [])
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return Read(
        imports,
        {number for number, node in enumerate(imports) if id(node) in for_types},
        [node.lineno for node in nodes if _reads_text(node)],
    )


def imported(path: Path) -> set[str]:
    """The parts of hfpy that a module imports, inside functions too."""
    found: set[str] = set()
    for node in read(path).imports:
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hfpy."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("hfpy.")}
    return found


@pytest.mark.parametrize("package", LINE)
def test_no_package_imports_one_to_its_right(package: str) -> None:
    above = set("pipeline store commands build cli report insight kernels tune".split())
    right = set(LINE[LINE.index(package) + 1 :]) | above
    files = list((PACKAGE / package).rglob("*.py"))
    assert len(files) > 3
    assert {(f.name, bad) for f in files for bad in imported(f) & right} == set()


def module_name(path: Path) -> str:
    """A module's name below ``hfpy``; empty for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, known: set[str]) -> set[str]:
    """The modules that a module imports, inside functions too, but not those for types alone."""
    found: set[str] = set()
    module = read(path)
    for number, node in enumerate(module.imports):
        if number in module.for_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hfpy":
            home = str(node.module).removeprefix("hfpy").lstrip(".")
            inner = {f"{home}.{a.name}".lstrip(".") for a in node.names}
            found |= (inner & known) or {home}
        elif isinstance(node, ast.Import):
            found |= {a.name.removeprefix("hfpy").lstrip(".") for a in node.names if a.name.split(".")[0] == "hfpy"}
    return found & known


def test_no_module_imports_itself_through_others() -> None:
    """Functions' imports count."""
    paths = {module_name(p): p for p in PACKAGE.rglob("*.py")}
    graph = nx.DiGraph((m, other) for m, p in paths.items() for other in imports_of(p, set(paths)) if other != m)
    assert [c for c in nx.strongly_connected_components(graph) if len(c) > 1] == []


@pytest.mark.parametrize("package", ["analyze", "parse", "build"])
def test_packages_within_build_on_each_other_in_the_order_of_the_map(package: str) -> None:
    """A package within another imports none of those that the map has after it."""
    listed = re.findall(rf"^\*\*`{package}/(\w+)`", part("Modules"), re.MULTILINE)
    paths = {module_name(p): p for p in (PACKAGE / package).rglob("*.py")}
    within = {m: m.split(".")[1] for m in paths if m.count(".") > 1}
    assert set(within.values()) == set(listed)
    assert len(listed) > 4
    upward = {
        (module, other)
        for module, home in within.items()
        for other in imports_of(paths[module], set(within))
        if listed.index(within[other]) > listed.index(home)
    }
    assert upward == set()


# What searches or cuts text. The text of statements, expressions, declarations and directives belongs to their trees,
# and `hfpy/parse` alone reads it; generated lines are known to who makes them. The places that are left, and why:
TEXT_PLACES = {
    "analyze/dependence/sets.py": "the texts in which isl takes sets, tells what they are, and why it gives up",
    "analyze/language/mpi.py": "names of MPI's procedures, whose beginnings and ends say what they are (MPI 4.1 §19)",
    "backends/base.py": "a template's text as lines",
    "backends/c/around.py": "printed lines: an array that anything but an element in them mentions stays as it is",
    "backends/c/values.py": "names that C and C++ keep for themselves, with underscores after them",
    "backends/opencl/words.py": "printed lines, in which words get the names that OpenCL C has for them",
    "transform/text/edits.py": "lines of a file, which edits change in place",
    "transform/text/fixedform.py": "lines of fixed form, whose columns say what they are",
    "transform/text/wrapping.py": "lines that are too long, broken between tokens",
}
_METHODS = frozenset(
    "split partition rpartition rsplit splitlines find index rindex rfind startswith endswith removeprefix "
    "removesuffix replace translate".split()
)
_STRIPPING = frozenset({"strip", "lstrip", "rstrip"})  # of blanks alone it is no reading
# Lists and tuples: their method `index` asks for the place of an item.
_SEQUENCES = frozenset("constructs dimensions iterators monomial order ranged ranges storage stored".split())
_READERS = frozenset({"re", "fnmatch", "tokenize", "hfpy.parse.text.lexer", "hfpy.parse.text.tokens"})


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is a constant text with characters that no name has."""
    spelled = node.value if isinstance(node, ast.Constant) else None
    return isinstance(spelled, str) and spelled not in ("", "*") and not spelled.isidentifier()


def _reads_text(node: ast.AST) -> bool:
    """Whether a node of Python's tree searches or cuts a text, or imports what does.

    Methods of constants do not count, as those are no text of a program.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if not isinstance(value, ast.Constant):
            stripped = attr in _STRIPPING and bool(args)
            return stripped or (attr in _METHODS and not (attr == "index" and _last_name(value) in _SEQUENCES))
        case ast.Import(names=names):
            return any(alias.name in _READERS for alias in names)
        case ast.ImportFrom(module=str(module)):
            return module in _READERS
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[inside]):  # "%" in name
            return (_is_text(left) and not isinstance(inside, ast.Set | ast.Tuple | ast.Constant)) or (
                _last_name(inside) == "text"
            )
        case ast.Compare(left=ast.Subscript(slice=ast.Slice()), comparators=[ast.Constant(value=str())]):
            return True  # name[:3] == "hf_"
    return False


def text_places(path: Path) -> list[int]:
    """The lines of a module that search or cut a text."""
    return read(path).text_lines


def test_text_is_read_in_parse_alone() -> None:
    modules = [p for package in ("analyze", "transform", "backends") for p in (PACKAGE / package).rglob("*.py")]
    found = {p.relative_to(PACKAGE).as_posix(): text_places(p) for p in modules}
    assert {name: rows for name, rows in found.items() if rows and name not in TEXT_PLACES} == {}
    assert {name for name in TEXT_PLACES if not found.get(name)} == set(), "the table has modules that read no text"


@pytest.mark.parametrize(
    "code",
    [
        'text.split(",")',
        'line.text[: span[0]].rindex("(")',
        "words.index(name)",
        "import re",
        "from hfpy.parse.text.tokens import tokenise",
        'row.lstrip().startswith("#")',
        '"%" in name',
        'f"hf_{name}" in edit.text',
        "name in statement.line.text",
        'name[:3] == "hf_"',
        'literal.text.replace("d", "e")',
        'key.strip(":")',
    ],
)
def test_what_reads_text(code: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(f"{code}\n")
    assert text_places(module) == [1]


@pytest.mark.parametrize(
    "code",
    [
        '"a b".split()',
        "iterators.index(name)",
        "row.strip()",
        '"*" in saved',
        'f"{module}::{name}" in keys',
        "name in names",
    ],
)
def test_what_does_not(code: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(f"{code}\n")
    assert text_places(module) == []


def test_build_knows_the_translator_by_its_entry_only() -> None:
    for path in (PACKAGE / "build").rglob("*.py"):
        assert not imported(path) & {*LINE, "report", "insight", "store", "kernels", "tune"}, path.name


def test_kernels_are_on_top() -> None:
    """Nothing needs NumPy, or what calls compiled code, but ``hfpy.load`` itself, and those that use it: ``hfpy tune``,
    and the kernels of ``hfpy.read`` when they are run.
    """
    users = {p.relative_to(PACKAGE).parts[0] for p in PACKAGE.rglob("*.py") if "kernels" in imported(p)}
    assert users == {"kernels", "tune", "__init__.py", "api.py"}
    assert {p.relative_to(PACKAGE).parts[0] for p in PACKAGE.rglob("*.py") if "tune" in imported(p)} == {
        "tune",
        "cli.py",
        "api.py",
    }


def test_fparser_stays_behind_its_gate() -> None:
    users = [
        p.name for p in PACKAGE.rglob("*.py") if re.search(r"^\s*(from|import) fparser", p.read_text(), re.MULTILINE)
    ]
    assert users == ["grammar.py"]


def test_value_types_are_those_of_values() -> None:
    """But for what scripts of users get, which is checked at run time."""
    direct = {
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        for node in read(path).imports
        if isinstance(node, ast.ImportFrom)
        and node.module == "dataclasses"
        and "dataclass" in [n.name for n in node.names]
    }
    given = {path for path in direct if path.parent == Path("transform/scripts")}
    assert given and direct - given == {Path(n) for n in ("values.py", "diagnostics.py", "model/directives.py")}


def test_the_map_names_every_module_and_no_other() -> None:
    text = part("Modules")
    packages = sorted({p.parent.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("[a-z]*.py")})
    assert {*LINE, "analyze/regions", "build/compile", "commands"} < set(packages)
    for package in packages:
        begin = f"**`{package}`" if package != "." else "**At the top.**"
        assert begin in text, f"{package} has no section"
        section = text.split(begin)[1].split("\n**")[0]
        named = set(re.findall(r"`(\w+\.py)`", section))
        there = {p.name for p in (PACKAGE / package).glob("*.py") if not p.name.startswith("__")}
        assert named == there, f"{package}: missing {there - named}, gone {named - there}"


def test_the_glossary_has_each_word_once_in_order() -> None:
    words = re.findall(r"^\| ([a-z ]+) \| ", part("Glossary"), re.MULTILINE)[1:]
    assert len(words) > 40
    assert words == sorted(set(words))


def test_the_glossary_of_the_pages_has_each_word_once_in_order() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([a-z]+) \| ", text, re.MULTILINE)[1:]
    assert len(words) > 30
    assert words == sorted(set(words))


def test_paths_named_elsewhere_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in set(
        re.findall(r"`((?:hfpy|tests|docs|templates|parse|analyze|transform|build|model|backends)/[\w/.]+)`", text)
    ):
        path = name.replace("/NAME", "")
        assert (ROOT / path).exists() or (PACKAGE / path).exists(), name


def example(name: str) -> Block:
    """A block of the part about backends."""
    (section,) = [s for s in sections(PAGE) if s.title == "Adding a backend"]
    return next(block for block in section.blocks if block.file == name)


def test_the_backend_of_the_example(tmp_path: Path) -> None:
    """The steps of the part about backends, taken in a copy of hfpy."""
    copy = tmp_path / "copy" / "hfpy"
    shutil.copytree(PACKAGE, copy)  # with the bytecode, which is good for the copy as well
    (copy / "backends" / "concurrent.py").write_text(example("concurrent.py").text)
    table = copy / "backendtable.py"
    before, end, after = table.read_text().partition("\n)\nTABLE = ")
    assert end
    table.write_text(f"{before}\n{example('backendtable.py').text.rstrip()}{end}{after}")

    here = tmp_path / "here"
    here.mkdir()
    (here / "squares.h90").write_text(example("squares.h90").text)
    (here / "hfpy.toml").write_text('[project]\nname = "squares"\nsources = ["squares.h90"]\n')

    def hfpy(*words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy.parent), *sys.path])}
        command = [sys.executable, "-m", "hfpy", *words]
        done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    got = hfpy("run", "--backend", "concurrent")
    made = (here / "build" / "cpu-concurrent" / "generated" / "squares.F90").read_text()
    assert stands_in(example("concurrent.F90").text, made)
    assert got == hfpy_process(["run", "--backend", "sequential"], here).stdout
    assert holds(" 111  14 119\n 121  24 129", got)
