const packages = (...names) => `node_modules/(${names.join("|")})/`;
const server = packages("@koa", "koa", "pg", "sqlite3", "preact", "preact-render-to-string");
const screen = packages("ink", "react");
const protocol = packages("@modelcontextprotocol");

/** Files and packages that a bundle must not contain, because they make its start slow. */
const forbidden = {
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
  action: new RegExp(["^(server|mcp)/", server, screen, protocol].join("|")),
  library: new RegExp(["^(server|mcp|src/cli)/", server, screen, protocol, packages("undici")].join("|")),
};

/** Fails the build if a bundle contains something that its program must load later or not at all. */
export function checkContents(bundles) {
  const faults = Object.entries(forbidden).flatMap(([bundle, inputs]) =>
    Object.keys(bundles[bundle].metafile.inputs)
      .filter((input) => inputs.test(input))
      .map((input) => `${bundle} has ${input} inside.`),
  );
  if (faults.length > 0) throw new Error([...faults, "Build what needs it apart."].join("\n"));
}
