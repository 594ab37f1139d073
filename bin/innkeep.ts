// The front door. Any Node can read it; it loads nothing, and opens the rest only when that is needed.
declare const INNKEEP_VERSION: string;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [, , first, ...rest] = process.argv;

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`innkeep needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.write(`${INNKEEP_VERSION}\n`);
} else {
  void import("./main.ts").then(({ main }) => main());
}
