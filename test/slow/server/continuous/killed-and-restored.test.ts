import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { innkeep, innkeepServe } from "../../../support/programs/built-program.ts";

const intervalMs = 1_000;
const patience = { timeout: 60_000, interval: 100 };

interface Sent {
  readonly id: string;
  /** When it was sent, and when it was acknowledged. */
  readonly sentAt: number;
  readonly acknowledgedAt: number;
}

/** Sends reports one after another, until the server is gone. */
async function sendReports(baseUrl: string, apiKey: string, sent: Sent[]): Promise<void> {
  for (let n = 0; ; n++) {
    const body = JSON.stringify({ type: "bug", message: `Report ${n}` });
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const sentAt = Date.now();
    const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status === 201) sent.push({ id: JSON.parse(text).id, sentAt, acknowledgedAt: Date.now() });
  }
}

describe("a server that is killed under load", () => {
  it("is restored on an empty place with all that was acknowledged before its last copy, and to an instant", async () => {
    const folder = await temporaryFolder();
    const copies = join(folder, "copies");
    const settings = { INNKEEP_RATE_LIMITS: "off", INNKEEP_CONTINUOUS_BACKUP_SECONDS: "1" };
    const { ready, child, ended } = await innkeepServe(
      ["--demo", "--port", "0", "--data", join(folder, "killed")],
      { ...settings, INNKEEP_CONTINUOUS_BACKUP: copies },
    );
    const listed = async () => {
      const { stdout } = await innkeep(["admin", "instants", "--from", copies, "--json"]);
      const { generations } = JSON.parse(stdout || '{"generations":[]}');
      return Date.parse(generations.at(-1)?.last ?? "1970-01-01T00:00:00Z");
    };
    const sent: Sent[] = [];
    const clients = [1, 2, 3, 4].map(() =>
      sendReports(ready.baseUrl, ready.demo.apiKey, sent).catch(() => {}),
    );
    await expect.poll(() => sent.length).toBeGreaterThan(50);
    const begun = Date.now();
    await expect.poll(listed, patience).toBeGreaterThan(begun);
    const middle = await listed();
    const sentLater = () => sent.filter(({ sentAt }) => sentAt > middle);
    await expect.poll(() => sentLater().length).toBeGreaterThan(0);
    await expect.poll(listed, patience).toBeGreaterThan(middle + intervalMs);
    child.kill("SIGKILL");
    await ended;
    await Promise.all(clients);

    const restored = async (name: string, ...more: string[]) => {
      const data = join(folder, name);
      const restore = ["admin", "restore", "--from", copies, "--data", data, "--json", ...more];
      const { code, stdout, stderr } = await innkeep(restore);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(await innkeep(["admin", "check", "--data", data])).toMatchObject({ code: 0 });
      const server = await innkeepServe(["--port", "0", "--data", data], settings);
      const authorization = `Bearer ${ready.demo.maintainerToken}`;
      const isThere = async ({ id }: Sent) =>
        (await fetch(`${server.ready.baseUrl}/api/v1/console/feedback/${id}`, { headers: { authorization } }))
          .status === 200;
      return { at: Date.parse(JSON.parse(stdout).at), isThere };
    };
    const expectAll = async ({ at, isThere }: Awaited<ReturnType<typeof restored>>) => {
      const before = sent.filter((each) => each.acknowledgedAt < at);
      expect(before.length).toBeGreaterThan(0);
      for (const each of before) expect(await isThere(each), each.id).toBe(true);
    };
    const last = await restored("last");
    await expectAll(last);
    expect(last.at).toBeGreaterThan(middle + intervalMs);
    const then = await restored("then", "--at", new Date(middle).toISOString());
    expect(then.at).toBe(middle);
    await expectAll(then);
    for (const each of sentLater()) expect(await then.isThere(each), each.id).toBe(false);
  });
});
