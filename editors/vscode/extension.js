"use strict";

// Starts `hfpy lsp`, and again when its settings or the trust in the folder change.

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["hfpy", "FortranFreeForm", "FortranFixedForm", "fortran"];

let client;
let turn = Promise.resolve();

/** What starts the server: the command of the settings, and `lsp`. */
function serverOptions(settings) {
  const [command, ...first] = settings.get("command");
  return { command, args: [...first, "lsp"] };
}

/** What the server gets: the target, and whether it may run the scripts of the project. */
function clientOptions(settings) {
  return {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ scheme: "file", language })),
      { scheme: "file", pattern: "**/hfpy.toml" },
    ],
    initializationOptions: { target: settings.get("target"), trust: workspace.isTrusted },
  };
}

async function start() {
  const settings = workspace.getConfiguration("hfpy");
  const server = serverOptions(settings);
  client = new LanguageClient("hfpy", "hfpy", server, clientOptions(settings));
  try {
    await client.start();
  } catch (fault) {
    client = undefined;
    window.showErrorMessage(
      `hfpy: '${server.command}' cannot be started as a language server (${fault.message}). ` +
        "Install it with: pip install 'hfpy[lsp]', or set hfpy.command.",
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running !== undefined) {
    await running.stop().catch(() => undefined);
  }
}

/** Stop and start, one after the other however often it is asked for. */
function restart() {
  turn = turn.then(stop).then(start);
  return turn;
}

function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("hfpy.restart", restart),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration("hfpy") ? restart() : undefined)),
  );
  return restart();
}

function deactivate() {
  turn = turn.then(stop);
  return turn;
}

module.exports = { activate, deactivate };
