import { describe, expect, it } from "vitest";
import type { AdminRequest, Programs } from "../../../src/programs.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";

/** A command line in which the operator's commands only record their arguments. */
async function noting(env: Record<string, string> = {}, answer: Record<string, unknown> = {}) {
  const told: AdminRequest[] = [];
  const refuse = () => Promise.reject(new Error("Only the operator's commands are expected."));
  const programs: Programs = {
    ...{ serve: refuse, mcp: refuse, devExec: refuse },
    async admin(request) {
      told.push(request);
      return answer;
    },
  };
  const line = await createCommandLine(env);
  const run = (argv: readonly string[]) => line.run([...argv], { world: { programs } });
  return { told, line: run, run: (argv: string) => run(argv.split(" ")) };
}

describe("the command admin restore", () => {
  it("restores a file with the keys of the environment", async () => {
    const { run, told } = await noting({ INNKEEP_BACKUP_IDENTITY_FILE: "key.txt" });
    await run("admin restore monday.tar --erasures e.ndjson");
    expect(told).toMatchObject([
      { command: "restore", file: "monday.tar", identity: "key.txt", erasures: "e.ndjson" },
    ]);
  });
});

describe("the command admin adopt", () => {
  it("asks for a confirmation, and names the journal of erasures", async () => {
    const { run, told } = await noting();
    expect(await run("admin adopt --data restored")).toMatchObject({ exit: 2 });
    expect(told).toEqual([]);
    await run("admin adopt --data restored --erasures e.ndjson --yes");
    expect(told).toMatchObject([{ command: "adopt", data: "restored", erasures: "e.ndjson" }]);
  });

  it("ends with exit code 10 if files are missing", async () => {
    const { run } = await noting({}, { missing: ["0a"] });
    expect(await run("admin adopt --yes")).toMatchObject({ exit: 10 });
  });
});

describe("a command of an earlier version for continuous copies", () => {
  it.each([
    "admin instants",
    "admin instants --from copies",
    "admin restore --from copies --at 2026-11-23T18:30:00Z",
  ])("names its replacement: %s", async (argv) => {
    const { run, told } = await noting();
    expect(await run(argv)).toMatchObject({ exit: 2, stderr: expect.stringContaining("Litestream") });
    expect(told).toEqual([]);
  });
});

describe("the command admin backup", () => {
  it("creates no backup without encryption if the public key of a script is empty", async () => {
    const { line, told } = await noting({ INNKEEP_BACKUP_RECIPIENT: "age1key" });
    const answer = await line(["admin", "backup", "monday.tar", "--recipient", ""]);
    expect(answer).toMatchObject({ exit: 2, stderr: expect.stringContaining("--recipient is empty.") });
    expect(told).toEqual([]);
  });
});

describe("the admin commands", () => {
  it("treat an empty INNKEEP_ERASURES as missing", async () => {
    const { run, told } = await noting({ INNKEEP_ERASURES: "" });
    await run("admin restore monday.tar");
    expect(told[0]?.erasuresFile).toBeUndefined();
  });
});
