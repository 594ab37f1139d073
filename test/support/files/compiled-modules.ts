import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const parent = "node_modules/.cache/vitest";

/** What a compiled module depends on, besides its source and the configuration of the tests, which Vitest checks. */
const settings = ["tsconfig.json", "node_modules/.package-lock.json"];

/** A folder of this size is deleted, because nothing else removes the modules of changed sources. */
const mostFiles = 20_000;

/**
 * The folder of the modules that earlier runs of the tests compiled with the same settings and the same packages.
 * Those of other settings are removed.
 */
export function compiledModules(): string {
  const hash = createHash("sha256");
  for (const file of settings.filter(existsSync)) hash.update(`${file}\0`).update(readFileSync(file));
  const name = hash.digest("hex").slice(0, 16);
  for (const other of namesIn(parent))
    if (other !== name || namesIn(join(parent, other)).length > mostFiles)
      rmSync(join(parent, other), { recursive: true, force: true });
  return join(parent, name);
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
