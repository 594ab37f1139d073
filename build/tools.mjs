import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** The benchmarks and the pictures use the installed dependencies. They are not part of the package. */
export async function buildTools(shared) {
  const folder = "test/bench";
  const bare = (await readdir(folder)).filter((name) => name.startsWith("bare-"));
  const servers = bare.map((name) => [name.replace(/\.ts$/, ""), join(folder, name)]);
  await build({
    ...shared,
    entryPoints: {
      bench: `${folder}/main.ts`,
      "bench-growth": `${folder}/growth/main.ts`,
      "bench-turns": `${folder}/growth/turns.ts`,
      pictures: "test/pictures/main.ts",
      ...Object.fromEntries(servers),
    },
    format: "esm",
    packages: "external",
  });
}
