import { describe, expect, it } from "vitest";
import type { AdminRequest, Programs } from "../../../src/programs.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";

/** A command line whose operator's commands only record their arguments. */
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

const keys = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "a/b" };

describe("admin restore", () => {
  it("restores a file, or an instant of a continuous backup", async () => {
    const { run, told } = await noting({ ...keys, INNKEEP_BACKUP_IDENTITY_FILE: "key.txt" });
    await run("admin restore monday.tar");
    await run("admin restore --from copies --at 2026-11-23T18:30:00Z --erasures e.ndjson");
    const from = { place: "copies", accessKeyId: "AKIA", secretAccessKey: "a/b" };
    expect(told).toMatchObject([
      { command: "restore", file: "monday.tar", identity: "key.txt" },
      {
        ...{ command: "restore instant", from, at: "2026-11-23T18:30:00.000Z" },
        ...{ identity: "key.txt", erasures: "e.ndjson" },
      },
    ]);
  });

  it.each([
    ["admin restore", "There is nothing to restore."],
    ["admin restore monday.tar --from copies", "--from needs no file."],
    ["admin restore monday.tar --at 2026-11-23T18:30:00Z", "--at needs --from."],
    [
      "admin restore --from copies --at yesterday",
      "--at must be an instant with its offset, not `yesterday`.",
    ],
    ["admin restore --from copies --at 2026-11-23T18:30:00", "--at must be an instant with its offset"],
    ["admin restore --from copies --at 2026-99-23T18:30:00Z", "--at must be an instant with its offset"],
    ["admin restore --from copies --at 2026-02-31T18:30:00Z", "--at must be an instant with its offset"],
    ["admin instants", "The continuous backup is not named."],
  ])("%s is refused", async (argv, message) => {
    const { run, told } = await noting();
    expect(await run(argv)).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
    expect(told).toEqual([]);
  });
});

describe("admin restore --at", () => {
  it("takes an offset, and gives the instant in UTC", async () => {
    const { run, told } = await noting();
    await run("admin restore --from copies --at 2026-11-23T19:30:00+01:00");
    expect(told).toMatchObject([{ at: "2026-11-23T18:30:00.000Z" }]);
  });
});

describe("admin backup", () => {
  it("is not made for everybody if the public key of a script is empty", async () => {
    const { line, told } = await noting({ INNKEEP_BACKUP_RECIPIENT: "age1key" });
    const answer = await line(["admin", "backup", "monday.tar", "--recipient", ""]);
    expect(answer).toMatchObject({ exit: 2, stderr: expect.stringContaining("--recipient is empty.") });
    expect(told).toEqual([]);
  });
});

describe("admin commands", () => {
  it("count an empty INNKEEP_ERASURES as not set", async () => {
    const { run, told } = await noting({ INNKEEP_ERASURES: "" });
    await run("admin restore monday.tar");
    expect(told[0]?.erasuresFile).toBeUndefined();
  });
});

describe("admin instants", () => {
  it("is a table for a person, and one object for a program", async () => {
    const found = { name: "20261123T184500000Z-5f1056d0", instants: 2, first: "2026-11-23T18:45:00.000Z" };
    const generations = [{ ...found, last: "2026-11-23T18:45:10.000Z" }];
    const { run } = await noting({}, { generations });
    expect((await run("admin instants --from copies")).stdout).toBe(
      "2026-11-23T18:45:00.000Z\t2026-11-23T18:45:10.000Z\t2\t20261123T184500000Z-5f1056d0\n",
    );
    expect(JSON.parse((await run("admin instants --from copies --json")).stdout)).toEqual({ generations });
  });

  it("takes the place from a flag, or else from the environment", async () => {
    const { run, told } = await noting({ INNKEEP_CONTINUOUS_BACKUP: "https://s3.example/bucket" });
    await run("admin instants");
    await run("admin instants --from copies");
    expect(told).toMatchObject([
      { command: "instants", from: { place: "https://s3.example/bucket" } },
      { command: "instants", from: { place: "copies" } },
    ]);
  });
});
