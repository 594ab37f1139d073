// The scripts and the styles of the console, each as one text.
import { join } from "node:path";
import { buildSync } from "esbuild";

const folder = join(import.meta.dirname, "../server/console/browser");

/** The entry file of each text. */
const entries = {
  script: "console.js",
  docs: "docs.js",
  dev: "dev.js",
  worker: "push-worker.js",
  style: "console.css",
};

/** Returns the texts in the form for browsers. */
export function bundleForBrowsers() {
  const { outputFiles } = buildSync({
    entryPoints: Object.values(entries).map((file) => join(folder, file)),
    outdir: folder,
    write: false,
    bundle: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    minify: true,
    logLevel: "warning",
  });
  const textOf = (file) => outputFiles.find(({ path }) => path === join(folder, file))?.text;
  return Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, textOf(file)]));
}
