import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Slices } from "./run.ts";

/** Compiles the sources with their slices into a folder that has `node_modules`, and loads them. */
export async function loadSlices(
  texts: ReadonlyMap<string, readonly string[]>,
  folder: string,
): Promise<Slices> {
  const outfile = join(folder, "slices.mjs");
  const imports = [...texts.keys()].map((file) => `import "./${file}";`);
  await build({
    stdin: {
      contents: `${imports.join("")}export { slices } from "innkeep:slices";`,
      resolveDir: resolve("."),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "silent",
    jsx: "automatic",
    jsxImportSource: "preact",
    // Some modules read files of their own folder, but no statement needs them.
    define: { "import.meta.dirname": '"/"', "import.meta.url": '"file:///"' },
    plugins: [withSlices(texts)],
  });
  const { slices } = await import(pathToFileURL(outfile).href);
  return slices;
}

const withSlices = (texts: ReadonlyMap<string, readonly string[]>): Plugin => ({
  name: "slices",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^innkeep:slices$/ }, ({ path }) => ({ path, namespace: "slices" }));
    onLoad({ filter: /./, namespace: "slices" }, () => ({ contents: "export const slices = new Map();" }));
    // It builds scripts for browsers when it is imported. No statement needs them.
    onResolve({ filter: /build.browser\.mjs$/ }, () => ({
      path: resolve("build/browser.mjs"),
      external: true,
    }));
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const added = texts.get(relative(".", path).replaceAll("\\", "/"));
      return {
        loader: path.endsWith("x") ? "tsx" : "ts",
        contents: added ? [importOfSlices, text, ...added].join("\n") : text,
      };
    });
  },
});

const importOfSlices = 'import { slices as $slices } from "innkeep:slices";';
