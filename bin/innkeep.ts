// The entry point of the npm package. Old versions of Node must be able to load this file.
import { keepCompiledCode } from "./compiled-code.ts";

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
  keepCompiledCode();
  void import("./main.ts").then(({ main }) => main());
}
