import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createVitest, type Vitest } from "vitest/node";
import { randomFrom, runSeed } from "../support/random-seed.ts";
import { torture } from "../support/torture.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

const root = join(import.meta.dirname, "..", "..");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.replaceAll("\\", "/"));

/** The files of rules, each with the tests that import it. */
const testsOf = new Map<string, string[]>();
for (const test of filesIn("test").filter((name) => /\/rules\/[^/]*\.test\.ts$/.test(name)))
  for (const [, path = ""] of readFileSync(join(root, "test", test), "utf8").matchAll(
    /from "(\.\.[^"]*\/server\/[^"]*\.ts)"/g,
  )) {
    const rule = join("test", test, "..", path);
    if (/\/rules(\/|\.ts$)/.test(rule)) testsOf.set(rule, [...(testsOf.get(rule) ?? []), `test/${test}`]);
  }
/** The tests of all rules. */
const tests = [...new Set([...testsOf.values()].flat())];
const rules = filesIn("server")
  .map((name) => `server/${name}`)
  .filter((name) => /\/rules(\/|\.ts$)/.test(name));

/** In the long form every mutant; in the short form one of each rule, in each run another one. */
const ofEach = torture ? Number.POSITIVE_INFINITY : 1;

describe("the tests of the domain rules", () => {
  let copy: string;
  let vitest: Vitest;
  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), "innkeep-mutants-"));
    for (const path of ["src", "server", "test/support", ...tests])
      cpSync(join(root, path), join(copy, path), { recursive: true });
    for (const file of ["package.json", "tsconfig.json"]) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    vitest = await createVitest("test", {
      ...{ root: copy, config: false, watch: false, reporters: [{}], include: ["test/**/*.test.ts"] },
      ...{ pool: "threads", maxWorkers: 1, isolate: false, bail: 1, testTimeout: 60_000 },
      // The short form of the random tests, which must notice the mutant, too.
      env: { INNKEEP_TORTURE: "" },
    });
  });
  afterAll(async () => {
    await vitest.close();
    rmSync(copy, { recursive: true, force: true });
  });

  /** Whether a test in the files with these path prefixes fails or does not end. */
  const fails = async (tests: readonly string[]): Promise<boolean> => {
    const files = await vitest.globTestSpecifications([...tests]);
    const paths = files.map(({ moduleId }) => moduleId);
    const waiting = new AbortController();
    const ended = await Promise.race([
      vitest.runTestSpecifications(files),
      sleep(120_000, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    if (ended === undefined) return stop();
    const run = ended.testModules.filter(({ moduleId }) => paths.includes(moduleId));
    return files.length === 0 || ended.unhandledErrors.length > 0 || run.some((file) => !file.ok());
  };

  /**
   * Ends a run in which a test is in an endless loop. The first call requests the end, and the second one forces it.
   */
  const stop = async (): Promise<true> => {
    const asked = vitest.cancelCurrentRun("keyboard-input");
    await vitest.cancelCurrentRun("keyboard-input");
    await asked;
    return true;
  };

  const survives = async (rule: string, { code }: Mutant): Promise<boolean> => {
    const path = join(copy, rule);
    const source = readFileSync(path, "utf8");
    writeFileSync(path, code);
    vitest.invalidateFile(path);
    const failed = await fails(testsOf.get(rule) ?? []);
    writeFileSync(path, source);
    vitest.invalidateFile(path);
    return !failed;
  };

  it("pass for the unchanged rules", async () => expect(await fails(tests)).toBe(false), 120_000);

  it("exist for each file of rules", () => {
    expect(rules.filter((rule) => !testsOf.has(rule))).toEqual([]);
  });

  it("fail for at least nine of ten mutants of the rules", async () => {
    const random = randomFrom(runSeed);
    const chosen = rules.map((rule) => {
      const all = mutantsOf(readFileSync(join(root, rule), "utf8"));
      return [rule, all.sort(() => random() - 0.5).slice(0, ofEach)] as const;
    });
    const survivors: string[] = [];
    for (const [rule, mutants] of chosen)
      for (const mutant of mutants)
        if (await survives(rule, mutant)) survivors.push(`${rule}: ${mutant.change}`);
    const count = chosen.reduce((sum, [, mutants]) => sum + mutants.length, 0);
    process.stdout.write(`${count - survivors.length} of ${count} mutants killed\n${survivors.join("\n")}\n`);
    expect(survivors.length).toBeLessThanOrEqual(torture ? count * 0.1 : count * 0.5);
  }, 3_600_000);
});
