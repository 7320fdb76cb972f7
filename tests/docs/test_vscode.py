"""The extension for Visual Studio Code: what it says fits hfpy, and its code does what the settings say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hfpy.parse.directives.directives import KEYWORDS, shown_keyword
from hfpy.parse.files import HYBRID_SUFFIXES

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())
COLOURS = json.loads((FOLDER / "syntaxes" / "directives.tmLanguage.json").read_text())["repository"]
# What the editor gives an extension, as far as this one asks for it; what happens is printed.
EDITOR = """
const Module = require("module"), load = Module._load;
const said = [], heard = {}, settings = { command: ["python", "-m", "hfpy"], target: "gpu" };
const vscode = {
  commands: { registerCommand: (name, act) => { heard[name] = act; return {}; } },
  window: { showErrorMessage: (text) => said.push(["error", text]) },
  workspace: {
    isTrusted: false,
    getConfiguration: (name) => ({ get: (key) => (name === "hfpy" ? settings[key] : undefined) }),
    onDidGrantWorkspaceTrust: (act) => { heard.trust = act; return {}; },
    onDidChangeConfiguration: (act) => { heard.settings = act; return {}; },
  },
};
class LanguageClient {
  constructor(id, name, server, client) { Object.assign(this, { server, client }); }
  async start() {
    if (this.server.command === "nowhere") throw new Error("not found");
    said.push(["start", this.server, this.client]);
  }
  async stop() { said.push(["stop"]); }
}
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
const extension = require(process.argv[2]);
(async () => {
  await extension.activate({ subscriptions: [] });
  vscode.workspace.isTrusted = true;
  await heard.trust();
  await heard.settings({ affectsConfiguration: (name) => name === "editor" });
  settings.command = ["nowhere"];
  heard.settings({ affectsConfiguration: (name) => name === "hfpy" });
  await heard["hfpy.restart"]();
  await extension.deactivate();
  console.log(JSON.stringify(said));
})();
"""


def test_what_the_package_names_is_there() -> None:
    contributed = PACKAGE["contributes"]
    paths = [PACKAGE["main"], *(one["path"] for one in contributed["grammars"])]
    paths += [one["configuration"] for one in contributed["languages"]]
    for path in paths:
        text = (FOLDER / path).read_text()
        assert not path.endswith(".json") or json.loads(text)
    assert contributed["languages"][0]["extensions"] == list(HYBRID_SUFFIXES)
    settings = contributed["configuration"]["properties"]
    assert set(settings) == {"hfpy.command", "hfpy.target"}
    assert all(f"`{name}`" in (FOLDER / "README.md").read_text() for name in settings)
    assert PACKAGE["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == ["hfpy.command"]


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_every_directive_has_a_colour(keyword: str) -> None:
    shown = shown_keyword(keyword)
    if keyword == "serial":
        assert re.search(COLOURS["serial"]["match"], "  !@serial: a reason")
        return
    for line in (f"  @{shown}{{", f"  !@ {shown}", f"c@{keyword.upper()}{{x}}"):
        found = re.search(COLOURS["directive"]["begin"], line)
        assert found is not None and found[2].lower().endswith(keyword), line
    assert not re.search(COLOURS["directive"]["begin"], f"  x = 1 ! @{shown}")
    if keyword != "exit":
        assert re.search(COLOURS["end"]["match"], f"  !@end {shown}")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing")
def test_the_client_gets_what_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "editor.js").write_text(EDITOR)
    command = ["node", str(tmp_path / "editor.js"), str(FOLDER / "extension.js")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    first, stop, second, end, *errors = json.loads(done.stdout)
    assert (first[0], stop, second[0], end) == ("start", ["stop"], "start", ["stop"])
    assert first[1] == {"command": "python", "args": ["-m", "hfpy", "lsp"]}
    assert first[2]["initializationOptions"] == {"target": "gpu", "trust": False}
    assert second[2]["initializationOptions"] == {"target": "gpu", "trust": True}
    selected = first[2]["documentSelector"]
    assert {"scheme": "file", "language": "hfpy"} in selected and {
        "scheme": "file",
        "pattern": "**/hfpy.toml",
    } in selected
    assert [kind for kind, _ in errors] == ["error", "error"] and "'nowhere' cannot be started" in errors[0][1]
