"""Versions and requirements are the same wherever they are written: pyproject.toml, CHANGELOG, recipes."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from hfpy.version import VERSION

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REQUIRED = {re.split(r"[<>=]", line)[0]: line for line in PROJECT["dependencies"]}


def test_the_version_is_in_one_place() -> None:
    assert "version" not in PROJECT and "version" in PROJECT["dynamic"]
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] in ("Not released", VERSION)
    assert next(h for h in headings if h != "Not released") == VERSION


def test_the_conda_recipe() -> None:
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    recipe = yaml.safe_load(jinja2.Template(text, undefined=jinja2.StrictUndefined).render(PYTHON="python"))
    assert recipe["package"] == {"name": "hfpy", "version": VERSION}
    run = {line.split()[0]: line.replace(" ", "") for line in recipe["requirements"]["run"]}
    assert run.pop("python") == "python" + PROJECT["requires-python"]
    assert {name: sorted(re.split("[,]", line)) for name, line in run.items()} == {
        name: sorted(line.split(",")) if "<" not in line else sorted(reordered(name, line))
        for name, line in REQUIRED.items()
    }
    assert recipe["build"]["entry_points"] == [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert (ROOT / recipe["about"]["license_file"]).is_file() and recipe["about"]["license"] == PROJECT["license"]


def reordered(name: str, line: str) -> list[str]:
    """The bounds of a requirement with its name before the lower one, as the recipe has them."""
    bounds = sorted(line.removeprefix(name).split(","), reverse=True)
    return [name + bounds[0], *bounds[1:]]


def test_the_spack_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe is run with functions in the place of Spack's that keep what they are called with."""
    calls: list[tuple[str, str, dict[str, Any]]] = []

    def keeping(name: str) -> Any:
        return lambda first, **more: calls.append((name, first, more))

    module = types.ModuleType("spack.package")
    for name in ("version", "variant", "depends_on", "license"):
        setattr(module, name, keeping(name))
    module.PythonPackage = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", module)
    runpy.run_path(str(ROOT / "packaging" / "spack" / "packages" / "py-hfpy" / "package.py"))
    assert ("license", PROJECT["license"], {}) in calls
    assert [first for name, first, _ in calls if name == "version"] == [VERSION]
    always = [first for name, first, more in calls if name == "depends_on" and "when" not in more]
    lower = {name: re.findall(r">=([\d.]+)", line)[0] for name, line in REQUIRED.items()}
    wanted = {f"py-{name}@{least}:" for name, least in lower.items()}
    assert {re.sub(r":.*", ":", a) for a in always} == wanted | {"python@3.11:", "py-setuptools@77:"}
    variants = {first for name, first, _ in calls if name == "variant"}
    assert {more["when"][1:] for name, _, more in calls if "when" in more} == variants


def test_the_dockerfile() -> None:
    text = (ROOT / "packaging" / "docker" / "Dockerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for word in line.split()]
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    assert all((ROOT / name).exists() and f"!{name}" in kept for name in copied)
    (extras,) = re.findall(r"/opt/source\[(.*)\]", text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
