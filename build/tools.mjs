// Builds the benchmarks and the pictures. They use the installed dependencies, and are not part of the package.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { bundlesOf } from "./contents.mjs";
import { browserBundles } from "./plugins.mjs";
import { shared } from "./settings.mjs";

const benchmarks = "test/bench";

/**
 * Builds these tools into `dist` of a folder. Returns the built files, each with the list of source files that
 * it contains.
 */
export async function buildInto(folder) {
  const bare = (await readdir(benchmarks)).filter((name) => name.startsWith("bare-"));
  const servers = bare.map((name) => [name.replace(/\.ts$/, ""), join(benchmarks, name)]);
  const tools = await build({
    ...shared,
    outdir: join(folder, "dist"),
    entryPoints: {
      bench: `${benchmarks}/main.ts`,
      "bench-growth": `${benchmarks}/growth/main.ts`,
      "bench-turns": `${benchmarks}/growth/turns.ts`,
      "bench-builds": `${benchmarks}/builds.ts`,
      pictures: "test/pictures/main.ts",
      ...Object.fromEntries(servers),
    },
    format: "esm",
    packages: "external",
    plugins: [browserBundles()],
  });
  return bundlesOf({ tools }, folder);
}
