import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Fault } from "./faults/fault.ts";
import { plantedFaults } from "./planted-faults.ts";

const root = join(import.meta.dirname, "..", "..");
const faults = Object.entries(plantedFaults).flatMap(([area, all]) =>
  all.map((fault) => [`${area}: ${fault.name}`, fault] as const),
);
const least = { ofAll: 24, ofArea: 4 } as const;

/** A run takes less than a minute on a machine without other work. After this time it must be in an endless loop. */
const longestRun = 600_000;

describe("the first tier of the tests", () => {
  let copy: string;
  beforeAll(() => {
    copy = copyOfProject();
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it("is run with enough faults of each area", () => {
    const counts = Object.values(plantedFaults).map(({ length }) => length);
    expect(faults.length).toBeGreaterThanOrEqual(least.ofAll);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(least.ofArea);
  });

  it(
    "passes for the unchanged code",
    async () => {
      const tests = new Set(faults.flatMap(([, { tests }]) => tests));
      expect(await failuresOf(copy, [...tests])).toEqual([]);
    },
    3 * longestRun,
  );

  it.each(faults)(
    "fails for %s",
    async (name, fault) => {
      const failed = await withFault(copy, fault, () => failuresOf(copy, fault.tests));
      expect(failed).not.toEqual([]);
      process.stdout.write(`${name}\n  ${failed.join("\n  ")}\n`);
    },
    longestRun + 60_000,
  );
});

/** The project without what is built, in a separate folder. The modules that Vitest compiles stay in the copy. */
function copyOfProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "innkeep-faults-"));
  const left = new Set([".git", "node_modules", "dist"]);
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  return copy;
}

async function withFault<T>(copy: string, { file, right, wrong }: Fault, act: () => Promise<T>): Promise<T> {
  const path = join(copy, file);
  const code = readFileSync(path, "utf8");
  const [before, after, ...more] = code.split(right);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} does not have this text exactly once:\n${right}`);
  writeFileSync(path, before + wrong + after);
  try {
    return await act();
  } finally {
    writeFileSync(path, code);
  }
}

const Report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/**
 * The tests of the first tier that fail in the copy: the first one is enough. Throws if a run fails without a failing
 * test, because such a fault breaks the whole program.
 */
async function failuresOf(copy: string, tests: readonly string[]): Promise<string[]> {
  const early = await run(copy, [...tests, "--bail=1"]);
  // On a busy machine, a run that ends early may not print the name of the failed test.
  const { code, failed, passed, text } = isNamed(early) ? early : await run(copy, tests);
  if (!isNamed({ code, failed }) || (code === 0 && passed === 0))
    throw new Error(`The run ended with ${code}, and no test says why:\n${text}`);
  return failed;
}

const isNamed = ({ code, failed }: Pick<Run, "code" | "failed">): boolean => code === 0 || failed.length > 0;

interface Run extends Ended {
  readonly failed: string[];
  readonly passed: number;
}

async function run(copy: string, chosen: readonly string[]): Promise<Run> {
  const output = join(copy, "report.json");
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  rmSync(output, { force: true });
  const reporter = ["--reporter=json", `--outputFile=${output}`];
  const end = await ended(copy, [vitest, "run", "--project=first*", ...reporter, ...chosen]);
  const { numPassedTests, testResults } = Report.parse(JSON.parse(readFileSync(output, "utf8")));
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName }) => `${name.slice(copy.length + 1)} > ${fullName}`),
  );
  return { ...end, failed, passed: numPassedTests };
}

interface Ended {
  readonly code: number;
  readonly text: string;
}

function ended(cwd: string, command: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env: cleanEnvironment(), timeout: longestRun, maxBuffer: 64 * 1_048_576 };
    const child = execFile(process.execPath, command, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, text: stdout + stderr }),
    );
  });
}

/**
 * Without the variables of this run of Vitest, and with the short form of the random tests, which must notice the
 * fault, too.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(VITEST|INNKEEP_|npm_lifecycle)/.test(name));
  return Object.fromEntries(kept);
}
