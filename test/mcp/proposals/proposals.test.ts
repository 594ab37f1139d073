import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProposals, hashOf, type ProposalRecord, proposalFiles } from "../../../mcp/proposal-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";

const server = "https://innkeep.example";
const record = (part: Partial<ProposalRecord> = {}): ProposalRecord => ({
  run_id: "run-1",
  feedback_id: "feedback-1",
  base_url: server,
  summary: "S",
  plan: "P",
  sha256: hashOf(part.plan ?? "P"),
  console_url: null,
  created_at: "2026-11-21T10:00:00.000Z",
  status: "awaiting_approval",
  decision_note: null,
  decided_at: null,
  ...part,
});

const open = (folder: string, { baseUrl = server, token = "sda_one" } = {}) => {
  const failures: string[] = [];
  const proposals = createProposals({
    baseUrl,
    store: proposalFiles(folder),
    key: async () => token,
    onFailure: (message) => failures.push(message),
  });
  return { proposals, failures };
};

describe("the local record of proposals", () => {
  it("can be read only by the same user", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    const files = await filesIn(folder);
    expect(files).toHaveLength(2);
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const inside of ["proposals", "proposals/threads", "proposals/threads/feedback-1"])
      expect((await stat(join(folder, inside))).mode & 0o777).toBe(0o700);
  });

  it("is kept over a restart, in the order of the proposals", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record({ run_id: "b", created_at: "2026-11-21T11:00:00.000Z" }));
    await open(folder).proposals.add(record({ run_id: "a" }));
    expect((await open(folder).proposals.all()).map(({ run_id }) => run_id)).toEqual(["a", "b"]);
  });

  it("is shared by several MCP servers at the same time, and loses no proposal", async () => {
    const folder = await temporaryFolder();
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((run_id) => open(folder).proposals.add(record({ run_id }))));
    expect(await open(folder).proposals.all()).toHaveLength(20);
  });

  it("keeps the proposals of different servers separately", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    expect(await open(folder, { baseUrl: "https://else.example" }).proposals.all()).toEqual([]);
  });

  it.each([
    ["with a changed plan", JSON.stringify({ ...record(), plan: "rm -rf /" })],
    ["that is not JSON", "{"],
    ["with another content", "[]"],
  ])("rejects a file %s", async (_, text) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "proposals"));
    await writeFile(join(folder, "proposals", "run-1.json"), text);
    expect(await open(folder).proposals.all()).toEqual([]);
  });

  it("confirms a plan that this machine sent, even after a restart and a change of the status", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    const { proposals } = open(folder);
    const [known] = await proposals.all();
    if (known) await proposals.update({ ...known, status: "approved" });
    expect(await open(folder).proposals.find("run-1")).toMatchObject({ status: "approved", verified: true });
  });

  it.each([
    ["the plan and its hash", { plan: "rm -rf /", sha256: hashOf("rm -rf /") }],
    ["the summary", { summary: "Other" }],
    ["the thread", { feedback_id: "feedback-2" }],
    ["the authentication code", { mac: "0".repeat(64) }],
  ])("does not confirm a file after a change of %s, even after a change of the status", async (_, edit) => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    const file = join(folder, "proposals", "run-1.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...edit }));
    const { proposals } = open(folder);
    const known = await proposals.find("run-1");
    expect(known).toMatchObject({ verified: false });
    if (known) await proposals.update({ ...known, status: "approved" });
    expect(await open(folder).proposals.find("run-1")).toMatchObject({ verified: false });
  });

  it("does not confirm a plan for another token", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    expect(await open(folder, { token: "sda_two" }).proposals.find("run-1")).toMatchObject({
      verified: false,
    });
  });

  it("is kept in memory if the folder is not writable, and the message says so", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "proposals"), "a file in the way");
    const { proposals, failures } = open(folder);
    await proposals.add(record());
    expect(await proposals.find("run-1")).toMatchObject({ ...record(), verified: true });
    expect(failures).toEqual(["The proposal could not be written to the state folder."]);
  });

  it("contains no token", async () => {
    const folder = await temporaryFolder();
    await open(folder).proposals.add(record());
    for (const file of await filesIn(folder)) expect(await readFile(file, "utf8")).not.toContain("sda_");
  });

  it("finds a proposal by its thread, and reads no other records", async () => {
    const folder = await temporaryFolder();
    const { proposals } = open(folder);
    await proposals.add(record({ run_id: "a", created_at: "2026-11-21T11:00:00.000Z" }));
    await proposals.add(record({ run_id: "b" }));
    await proposals.add(record({ run_id: "c", feedback_id: "feedback-2" }));
    await writeFile(join(folder, "proposals", "d.json"), JSON.stringify(record({ run_id: "d" })));
    const runsOf = async (id: string) =>
      (await open(folder).proposals.ofThread(id)).map(({ run_id }) => run_id);
    expect(await runsOf("feedback-1")).toEqual(["b", "a"]);
    expect(await runsOf("feedback-2")).toEqual(["c"]);
    expect(await runsOf("feedback-3")).toEqual([]);
    expect(await runsOf("../..")).toEqual([]);
  });

  it("also finds a proposal of an earlier version by its thread", async () => {
    const folder = await temporaryFolder();
    await plant(folder, [record({ run_id: "a" }), record({ run_id: "b", feedback_id: "../../out" })]);
    expect(await open(folder).proposals.ofThread("feedback-1")).toMatchObject([{ run_id: "a" }]);
    expect(await filesIn(folder)).toHaveLength(3);
  });

  it("deletes the oldest proposals down to 500 when there are 550", async () => {
    const folder = await temporaryFolder();
    const records = Array.from({ length: 551 }, (_, index) => {
      const created_at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
      return record({ run_id: `run-${index}`, created_at });
    });
    await plant(folder, records.slice(0, 549));
    const { proposals } = open(folder);
    await proposals.ofThread("feedback-1");
    for (const last of records.slice(549)) await proposals.add(last);
    const kept = await open(folder).proposals.all();
    expect([kept.length, kept[0]?.run_id]).toEqual([500, "run-51"]);
    expect(await open(folder).proposals.ofThread("feedback-1")).toEqual(kept);
    expect(await filesIn(folder)).toHaveLength(1_000);
  });
});

/** Writes records as an earlier version did. */
async function plant(folder: string, records: readonly ProposalRecord[]): Promise<void> {
  await mkdir(join(folder, "proposals"));
  for (const each of records)
    await writeFile(join(folder, "proposals", `${each.run_id}.json`), JSON.stringify(each));
}
