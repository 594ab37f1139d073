import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomFrom, runSeed } from "../support/random-seed.ts";
import { torture } from "../support/torture.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

const root = join(import.meta.dirname, "..", "..");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.replaceAll("\\", "/"));
const rules = filesIn("server/domain").map((name) => name.replace(/\.ts$/, ""));

/** Every mutant in the long form; one of each rule, another in each run, in the short one. */
const ofEach = torture ? Number.POSITIVE_INFINITY : 1;

describe("the tests of the domain rules", () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "innkeep-mutants-"));
    for (const folder of ["src", "server", "test"])
      cpSync(join(root, folder), join(copy, folder), { recursive: true });
    for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    writeFileSync(
      join(copy, "vitest.config.js"),
      'export default { test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 } };',
    );
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** Whether a test fails in the files with this path prefix. */
  const fails = (tests: string): boolean => {
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const argv = [vitest, "run", "--bail", "1", "--no-isolate", "--root", copy, tests];
    // The short form of the random tests: it must be enough to notice.
    const env = { ...process.env, INNKEEP_TORTURE: "" };
    return spawnSync(process.execPath, argv, { cwd: copy, env, timeout: 120_000 }).status !== 0;
  };

  const survivorsOf = (rule: string, mutants: readonly Mutant[]): string[] => {
    const path = join(copy, "server", "domain", `${rule}.ts`);
    const source = readFileSync(path, "utf8");
    const survivors = mutants.filter(({ code }) => {
      writeFileSync(path, code);
      return !fails(`test/domain/${rule}.`);
    });
    writeFileSync(path, source);
    return survivors.map(({ change }) => `${rule}: ${change}`);
  };

  it("pass for the unchanged rules", () => expect(fails("test/domain/")).toBe(false), 120_000);

  it("exist for each of them", () => {
    const tested = new Set(filesIn("test/domain").map((name) => name.split(".")[0]));
    expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
  });

  it("fail for at least nine of ten mutants of the rules", () => {
    const random = randomFrom(runSeed);
    const chosen = rules.map((rule) => {
      const all = mutantsOf(readFileSync(join(root, "server", "domain", `${rule}.ts`), "utf8"));
      return [rule, all.sort(() => random() - 0.5).slice(0, ofEach)] as const;
    });
    const survivors = chosen.flatMap(([rule, mutants]) => survivorsOf(rule, mutants));
    const count = chosen.reduce((sum, [, mutants]) => sum + mutants.length, 0);
    process.stdout.write(`${count - survivors.length} of ${count} mutants killed\n${survivors.join("\n")}\n`);
    expect(survivors.length).toBeLessThanOrEqual(torture ? count * 0.1 : count * 0.5);
  }, 3_600_000);
});
