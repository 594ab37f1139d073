// The front door. Any version of Node can read it. It loads the rest only when needed.
declare const INNKEEP_VERSION: string;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const words = process.argv.slice(2);
const isVersion = (word: string) => /^(--version|-V|-v)$/.test(word);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`innkeep needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (words.some(isVersion) && words.every((word) => isVersion(word) || word === "--json")) {
  const isJson = words.indexOf("--json") >= 0;
  process.stdout.write(`${isJson ? JSON.stringify({ version: INNKEEP_VERSION }) : INNKEEP_VERSION}\n`);
} else {
  // Programs that others wait for keep the code that they need. All other commands share theirs.
  const use = /^(admin|dev|mcp|serve)$/.test(words[0] || "") ? "" : "commands";
  void import("./cached-start.ts").then(({ start }) => start("cli.cjs", use).main?.());
}
