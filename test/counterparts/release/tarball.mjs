import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const mostBytes = 2.5 * 1_048_576;

const wanted = [
  "package.json",
  "README.md",
  "LICENSE",
  "dist/innkeep.cjs",
  "dist/sbom.cdx.json",
  "dist/THIRD-PARTY-NOTICES.txt",
  "dist/types/index.d.ts",
  ...["api", "cli", "operating", "ci", "agents", "apps", "testers"].map((page) => `docs/${page}.md`),
];
const unwanted = /^(src|server|mcp|test|build|bin|node_modules|action)\/|dist\/(bench|bare-|built)/;

/** Packs the package into a folder. Returns the tarball, its size, and what is wrong with it. */
export async function packInto(folder) {
  const words = ["pack", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", words, { maxBuffer: 100_000_000 });
  const made = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [{ filename, size, files }] = Object.values(made);
  const names = files.map(({ path }) => path);
  const faults = [
    ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is not in the tarball.`),
    ...names.filter((name) => unwanted.test(name)).map((name) => `${name} is in the tarball.`),
    ...(size > mostBytes ? [`The tarball has ${size} bytes; ${mostBytes} are the limit.`] : []),
  ];
  return { tarball: join(folder, filename), size, faults };
}
