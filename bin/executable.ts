// The entry point of the executable, which needs no Node. It loads other modules only when needed.
declare const INNKEEP_VERSION: string;

const words = process.argv.slice(2);
const isVersion = (word: string): boolean => /^(--version|-V|-v)$/.test(word);

if (words.some(isVersion) && words.every((word) => isVersion(word) || word === "--json")) {
  const isJson = words.includes("--json");
  process.stdout.write(`${isJson ? JSON.stringify({ version: INNKEEP_VERSION }) : INNKEEP_VERSION}\n`);
} else {
  void import("./client-program.ts").then(({ main }) => main());
}
