import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What `innkeep mcp` loads, with the licences. Nothing of the server, the screens and the other commands. */
const files = {
  "manifest.json": "mcp/manifest.json",
  LICENSE: "LICENSE",
  ...Object.fromEntries(
    [
      "innkeep.cjs",
      "cli.cjs",
      "conf.cjs",
      "mcp.cjs",
      "mcp-session.cjs",
      "undici.cjs",
      "llhttp.wasm",
      "THIRD-PARTY-NOTICES.txt",
    ].map((name) => [`dist/${name}`, `dist/${name}`]),
  ),
};

/** Puts the files of the bundle into a folder. */
export async function copyInto(folder) {
  for (const [name, source] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(source, join(folder, name));
  }
}
