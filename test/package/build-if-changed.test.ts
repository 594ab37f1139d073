import { execFile } from "node:child_process";
import { appendFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const run = promisify(execFile);
const inputs = [
  "bin/a.ts",
  "mcp/a.ts",
  "server/deep/a.ts",
  "src/a.ts",
  "test/support/a.ts",
  "test/bench/a.ts",
];
const settings = ["package.json", "package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"];
const sources = [...inputs, "test/pictures/a.ts", ...settings];

/** A checkout whose build writes two files and counts how often it ran. */
async function newCheckout() {
  const folder = await temporaryFolder();
  const at = (file: string) => join(folder, file);
  for (const file of [...sources, "runs"]) {
    await mkdir(join(at(file), ".."), { recursive: true });
    await writeFile(at(file), "");
  }
  await mkdir(at("build"));
  await cp("build/if-changed.mjs", at("build/if-changed.mjs"));
  await writeFile(
    at("build/main.mjs"),
    `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
    for (const folder of ["dist", "action"]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + "/main.cjs", "built");
    }
    appendFileSync("runs", "+");`,
  );
  const builds = async () => {
    await run(process.execPath, ["build/if-changed.mjs"], { cwd: folder });
    return (await readFile(at("runs"), "utf8")).length;
  };
  return { at, builds };
}

it("builds once for the same inputs", async () => {
  const { at, builds } = await newCheckout();
  expect([await builds(), await builds()]).toEqual([1, 1]);
  await writeFile(at("dist/more.d.ts"), "What other scripts write beside it.");
  expect(await builds()).toBe(1);
});

it("builds again when any of the inputs has changed", async () => {
  const { at, builds } = await newCheckout();
  let expected = await builds();
  for (const file of [...sources, "build/main.mjs"]) {
    await appendFile(at(file), " ");
    expected += 1;
    expect([file, await builds()]).toEqual([file, expected]);
  }
});

it("builds again when a file was added or renamed", async () => {
  const { at, builds } = await newCheckout();
  await builds();
  await writeFile(at("src/new.ts"), "");
  expect(await builds()).toBe(2);
  await cp(at("src/new.ts"), at("src/newer.ts"));
  await rm(at("src/new.ts"));
  expect(await builds()).toBe(3);
});

it("builds again when a built file was changed or removed", async () => {
  const { at, builds } = await newCheckout();
  await builds();
  await writeFile(at("dist/main.cjs"), "other");
  expect(await builds()).toBe(2);
  await rm(at("action"), { recursive: true });
  expect(await builds()).toBe(3);
});

it("keeps no record of a build that failed", async () => {
  const { at, builds } = await newCheckout();
  const main = await readFile(at("build/main.mjs"), "utf8");
  await writeFile(at("build/main.mjs"), "throw new Error('It failed.');");
  await expect(builds()).rejects.toThrow("It failed.");
  await expect(builds()).rejects.toThrow("It failed.");
  await writeFile(at("build/main.mjs"), main);
  expect(await builds()).toBe(1);
});
