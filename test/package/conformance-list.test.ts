import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const folderOf = fileURLToPath(new URL("../../build/counterparts", import.meta.url));

/** Takes the place of the suite: writes the results that the test wants. */
const fakeNpx = `#!${process.execPath}
const { mkdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const folder = process.argv[process.argv.indexOf("--output-dir") + 1];
for (const [scenario, checks] of Object.entries(JSON.parse(process.env.RESULTS))) {
  const results = join(folder, "server-" + scenario + "-2026-11-23T10-00-00-000Z");
  mkdirSync(results);
  writeFileSync(join(results, "checks.json"), JSON.stringify(checks));
}
`;

const program = `
import { createReport } from ${JSON.stringify(join(folderOf, "programs.mjs"))};
import { checkSuite } from ${JSON.stringify(join(folderOf, "conformance/suite.mjs"))};
const { report, end } = createReport();
const unmet = [["prompts", "prompt test_simple_prompt", "prompts-get", "prompts-list"]];
await checkSuite({ version: "0", name: "suite", flags: [], unmet }, "http://127.0.0.1:9/mcp", report);
end();
`;

const check = (id: string, status: string) => ({ id, status, errorMessage: "No." });
const listedFailures = [check("prompts-get", "FAILURE"), check("prompts-list", "WARNING")];

/** What \`npm run conformance\` says of these results of a suite, and its exit code. */
async function judge(results: Record<string, readonly object[] | undefined>) {
  const bin = await temporaryFolder();
  await writeFile(join(bin, "npx"), fakeNpx);
  await chmod(join(bin, "npx"), 0o755);
  const PATH = `${bin}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, RESULTS: JSON.stringify(results) };
  return new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, ["--input-type=module", "--eval", program], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

describe("the run of a conformance suite", () => {
  it("is good if exactly the listed checks fail", async () => {
    const { code, stdout } = await judge({ ping: [check("ping", "SUCCESS")], prompts: listedFailures });
    expect(stdout).toContain("suite: 1 scenarios green, 1 ask for what Innkeep does not offer");
    expect(code).toBe(0);
  });

  it.each([
    ["a scenario fails that is not listed", "ping: FAILURE", { ping: [check("ping", "FAILURE")] }],
    ["a scenario only warns that is not listed", "ping: WARNING", { ping: [check("ping", "WARNING")] }],
    [
      "another check of a listed scenario fails",
      "prompts-args: FAILURE",
      { prompts: [...listedFailures, check("prompts-args", "FAILURE")] },
    ],
    [
      "a listed check passes",
      "prompts-get is listed and passes",
      { prompts: [check("prompts-get", "SUCCESS"), check("prompts-list", "FAILURE")] },
    ],
    [
      "a listed check is gone",
      "prompts-list is listed and passes",
      { prompts: [check("prompts-get", "FAILURE")] },
    ],
    ["a listed scenario is gone", "prompts is listed but", { prompts: undefined }],
  ])("is a fault if %s", async (_, text, results) => {
    const { code, stdout } = await judge({
      ping: [check("ping", "SUCCESS")],
      prompts: listedFailures,
      ...results,
    });
    expect(stdout).toContain(text);
    expect(code).toBe(1);
  });

  it("is a fault if the suite writes no results", async () => {
    const { code, stdout } = await judge({});
    expect(stdout).toContain("the suite did not run");
    expect(code).toBe(1);
  });

  it("is a fault if a scenario checks nothing", async () => {
    const { code, stdout } = await judge({ ping: [], prompts: listedFailures });
    expect(stdout).toContain("ping checked nothing");
    expect(code).toBe(1);
  });
});
