import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { transform } from "esbuild";

/**
 * Shortens the names inside functions, and keeps those of the functions, classes and constants of each module: they stand in
 * the traces of errors. (`keepNames` would set each name again whenever a function inside another one is made.)
 */
export function shortLocals() {
  return {
    name: "short-locals",
    setup(building) {
      building.onLoad({ filter: /\.([cm]?js|tsx?)$/ }, async ({ path }) => {
        const options = {
          ...jsx,
          loader: loaderOf(path),
          sourcefile: path,
          target: "node20.19",
          charset: "utf8",
        };
        const { code } = await transform(await readFile(path, "utf8"), {
          ...options,
          minifyIdentifiers: true,
        });
        return { contents: code, loader: "js" };
      });
    },
  };
}

/** As in tsconfig.json, which is not read for single files. */
const jsx = { jsx: "automatic", jsxImportSource: "preact" };

const loaderOf = (path) =>
  extname(path)
    .replace(/^\.[cm]?js$/, ".js")
    .slice(1);
