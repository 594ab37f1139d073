import { join } from "node:path";
import { build } from "esbuild";
import { asValues, required } from "./plugins.mjs";
import { agentServerAlias, cjs, external, madeNow, outdir } from "./settings.mjs";

/** The start of the MCP server, in the same form. Its first answers are made at build time. */
export function buildAgentServer(loadedLate) {
  return build({
    ...cjs,
    entryPoints: { mcp: "mcp/stdio.ts" },
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(...madeNow), required({ "mcp/session.ts": "./mcp-session.cjs", ...loadedLate })],
  });
}

/**
 * The tools, over standard input and over HTTP. They share the library of the protocol, which is large, without its
 * validator for JSON schemas.
 */
export function buildAgentTools(loadedLate) {
  const files = ["mcp/session.ts", "mcp/http/http-tools.ts"];
  return build({
    ...cjs,
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join(""),
      resolveDir: process.cwd(),
    },
    outdir: undefined,
    outfile: join(outdir, "mcp-session.cjs"),
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(...madeNow), required(loadedLate)],
  });
}
