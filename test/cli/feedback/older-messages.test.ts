import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithAgent, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";
import { numbered, writeMessages } from "../../support/worlds/long-thread.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe.each([
  ["feedback view", ["feedback", "view"], /^Older messages: (.*)$/m, /^Newer messages: /m],
  ["agent thread", ["agent", "thread"], /^older messages +(.*)$/m, /^newer messages +/m],
] as const)("the command %s of a thread with many messages", (_, command, older, newer) => {
  async function longThread() {
    const cast = await makeAppWithAgent(service);
    const id = await submitFeedback(service, cast);
    const ids = await writeMessages(service, id, numbered(501));
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_AGENT_TOKEN: await service.makeToken(cast.owner, "agent"),
      INNKEEP_TOKEN: await service.makeToken(cast.owner, "maintainer", { scopes: ["feedback:read"] }),
    });
    return { ids, run: (...flags: string[]) => line.run([...command, id, ...flags]) };
  }

  it("names the flag that shows the older ones, and shows them", async () => {
    const { ids, run } = await longThread();
    const newest = await run();
    const hint = `1, not shown; --before ${ids[1]} shows the next of them`;
    expect(older.exec(newest.stdout)?.[1]).toBe(hint);
    expect(newest.stdout).not.toMatch(newer);
    expect([newest.stdout.includes("Note 0."), newest.stdout.includes("Note 1.")]).toEqual([false, true]);

    const { stdout } = await run("--before", ids[1] ?? "");
    expect(stdout).not.toMatch(older);
    expect(newer.exec(stdout)).not.toBeNull();
    expect([stdout.includes("Note 0."), stdout.includes("Note 1.")]).toEqual([true, false]);
  });

  it("prints the values for a reply only with the newest messages", async () => {
    const { ids, run } = await longThread();
    const shown = (await run()).stdout.includes("Newest message: ");
    expect(shown).toBe(command[0] === "feedback");
    expect((await run("--before", ids[1] ?? "")).stdout).not.toContain("Newest message: ");
  });

  it("prints the answer of the API with --json", async () => {
    const { ids, run } = await longThread();
    const answer = (await run("--before", ids[2] ?? "", "--json")).json();
    expect(answer).toMatchObject({ omittedMessages: 0, messages: [{ id: ids[0] }, { id: ids[1] }] });
  });

  it("refuses the id of a message that the thread does not have", async () => {
    const { run } = await longThread();
    const { exit, stderr } = await run("--before", "01a2075d-e2c2-77a8-bee3-9e65e3382356");
    expect(exit).toBe(2);
    expect(stderr).toContain("must be the id of a message of this thread");
  });
});
