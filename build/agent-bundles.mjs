import { join } from "node:path";
import { build } from "esbuild";
import { required } from "./plugins.mjs";
import { agentServerAlias, cjs, external, loadedLate } from "./settings.mjs";
import { asValues } from "./values.mjs";

/** The start of the MCP server, in the same form. Its first answers are made at build time. */
export function buildAgentServer(outdir) {
  return build({
    ...cjs,
    outdir,
    entryPoints: { mcp: "mcp/stdio.ts" },
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(), required({ "mcp/session.ts": "./mcp-session.cjs", ...loadedLate })],
  });
}

/**
 * The tools, over standard input and over HTTP. They share the library of the protocol, which is large, without its
 * validator for JSON schemas.
 */
export function buildAgentTools(outdir) {
  const files = ["mcp/session.ts", "mcp/http/http-tools.ts"];
  return build({
    ...cjs,
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join(""),
      resolveDir: process.cwd(),
    },
    outfile: join(outdir, "mcp-session.cjs"),
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(), required(loadedLate)],
  });
}
