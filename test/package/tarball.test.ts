import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { removableFolder } from "../support/files/temporary-folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const Packed = z.object({
  filename: z.string(),
  size: z.number(),
  files: z.array(z.object({ path: z.string() })),
});

let place: { readonly path: string; remove(): Promise<void> };
let packed: z.infer<typeof Packed>;

beforeAll(async () => {
  place = await removableFolder();
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", place.path];
  const { stdout } = await run("npm", words, { cwd: root, maxBuffer: 100_000_000 });
  packed = Packed.parse(Object.values(JSON.parse(stdout))[0]);
});

afterAll(() => place.remove());

describe("the tarball of the package", () => {
  it("has at most 2.5 MB", () => {
    expect(packed.size).toBeLessThanOrEqual(2.5 * 1_048_576);
  });

  it("contains the programs, the licences, the bill of materials and the guides, and no sources", () => {
    const names = packed.files.map(({ path }) => path);
    const guides = ["api", "cli", "operating", "ci", "agents", "apps", "testers"].map(
      (page) => `docs/${page}.md`,
    );
    const papers = ["README.md", "LICENSE", "dist/THIRD-PARTY-NOTICES.txt", "dist/sbom.cdx.json"];
    expect(names).toEqual(expect.arrayContaining(["dist/innkeep.cjs", ...papers, ...guides]));
    expect(
      names.filter((name) => /^(src|server|mcp|test|build|bin|action)\/|dist\/built/.test(name)),
    ).toEqual([]);
  });

  it("has the file name that the README installs", async () => {
    expect(await readFile(join(root, "README.md"), "utf8")).toContain(
      `install --global ./${packed.filename} `,
    );
  });

  it("has a command that works without other files", async () => {
    await run("tar", ["-xzf", packed.filename], { cwd: place.path });
    const script = join(place.path, "package", "dist", "innkeep.cjs");
    const start = async (words: readonly string[]) => {
      const child = spawn(process.execPath, [script, ...words], {
        cwd: place.path,
        env: { PATH: "/nowhere", HOME: join(place.path, "home") },
      });
      const told = child.stderr.toArray();
      const [code] = await once(child, "close");
      return { code, stderr: Buffer.concat(await told).toString() };
    };
    expect(await start(["faq", "list"])).toMatchObject({ code: 4 });
    const serve = await start(["serve", "--database-url", "postgres://127.0.0.1:1/none"]);
    expect(serve).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: PostgreSQL cannot be used/),
    });
  });
});
