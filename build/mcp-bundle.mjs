// Creates the bundle for one-click installation: `npm run build:bundle`. It needs the npm registry and the built
// package. `node build/mcp-bundle.mjs FOLDER --unpacked` only copies the files, into FOLDER/innkeep.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The files that `innkeep mcp` loads, and the licences. The server, the screens and the other commands are not
 * included.
 */
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

async function copyInto(folder) {
  for (const [name, source] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(source, join(folder, name));
  }
}

/**
 * Runs the tool that packs bundles. Its command `pack` also checks the manifest. The tool is not a dependency of the
 * repository, because it has more dependencies than the build. Throws an error with the output of the tool if it fails.
 */
export async function bundleTool(...words) {
  const command = ["--yes", "@anthropic-ai/mcpb@2.1.2", ...words];
  await run("npx", command, { timeout: 300_000 }).catch((error) => {
    throw new Error(`mcpb ${words[0]}: ${error.stdout}${error.stderr}`);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const words = process.argv.slice(2);
  const [folder = "bundle"] = words.filter((word) => !word.startsWith("--"));
  if (words.includes("--unpacked")) await copyInto(join(folder, "innkeep"));
  else await pack(folder);
}

async function pack(folder) {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const file = join(folder, `innkeep-${version}.mcpb`);
  const place = await mkdtemp(join(tmpdir(), "innkeep-bundle-"));
  try {
    await copyInto(place);
    await mkdir(folder, { recursive: true });
    await bundleTool("pack", place, file);
    process.stdout.write(`${file}: ${(await stat(file)).size} bytes.\n`);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
