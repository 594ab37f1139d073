import { relative, sep } from "node:path";

const packages = (...names) => `node_modules/(${names.join("|")})/`;
const server = packages("@koa", "koa", "pg", "sqlite3", "preact", "preact-render-to-string");
const screen = packages("ink", "react");
const protocol = packages("@modelcontextprotocol");

/** Files and packages that a bundle must not contain, because they make its start slow. */
const forbidden = {
  programs: {
    frontDoor: /^(server|mcp|src)\/|node_modules\//,
    commandLine: new RegExp(
      [
        "^(server|mcp)/",
        server,
        screen,
        protocol,
        packages("conf", "diff", "markdown-it", "open", "saxes", "tinyglobby", "undici", "yaml", "zod"),
      ].join("|"),
    ),
    notes: new RegExp(["^(server|mcp)/", server, screen, protocol, packages("undici", "zod")].join("|")),
    rules: new RegExp(["^(server|mcp)/", server, screen, protocol, packages("undici")].join("|")),
    agentServer: new RegExp(["^(server|src/cli)/", server, screen, packages("undici")].join("|")),
    agentTools: new RegExp(["^(server|src/cli)/", server, screen, packages("undici")].join("|")),
    server: new RegExp(["^mcp/", protocol, packages("undici")].join("|")),
  },
  package: {
    action: new RegExp(["^(server|mcp)/", server, screen, protocol].join("|")),
    library: new RegExp(["^(server|mcp|src/cli)/", server, screen, protocol, packages("undici")].join("|")),
  },
};

/** Fails the build of a target if a bundle contains something that its program must load later or not at all. */
export function checkContents(target, results) {
  const faults = Object.entries(forbidden[target]).flatMap(([bundle, inputs]) =>
    Object.keys(results[bundle].metafile.inputs)
      .filter((input) => inputs.test(input))
      .map((input) => `${bundle} has ${input} inside.`),
  );
  if (faults.length > 0) throw new Error([...faults, "Build what needs it apart."].join("\n"));
}

/** Waits for all values of an object. One that fails does not leave the others at work. */
export async function allOf(promises) {
  await Promise.allSettled(Object.values(promises));
  const values = await Promise.all(Object.values(promises));
  return Object.fromEntries(Object.keys(promises).map((name, at) => [name, values[at]]));
}

/**
 * The files that were built into a folder, each with the files that something of is in it, by the results of the
 * builds.
 */
export function bundlesOf(results, folder = ".") {
  const outputs = Object.values(results)
    .flat()
    .flatMap(({ metafile }) => Object.entries(metafile.outputs));
  return Object.fromEntries(
    outputs
      .map(([file, { inputs }]) => [relative(folder, file).replaceAll(sep, "/"), namesOf(inputs)])
      .sort(),
  );
}

const namesOf = (inputs) =>
  Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([name]) => name)
    .sort();

/** The folders of the packages that something of is in these files. */
export function packageFoldersOf(bundles) {
  const inputs = Object.values(bundles).flat();
  const folders = inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].sort();
}
