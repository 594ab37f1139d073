// Makes the bundle for one-click installation: `npm run build:bundle`. It needs the npm registry, and the built package.
// `node build/bundle/main.mjs FOLDER --unpacked` only copies the files, into FOLDER/innkeep.
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyInto } from "./files.mjs";
import { bundleTool } from "./tool.mjs";

const words = process.argv.slice(2);
const [folder = "bundle"] = words.filter((word) => !word.startsWith("--"));

if (words.includes("--unpacked")) await copyInto(join(folder, "innkeep"));
else await pack();

async function pack() {
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
