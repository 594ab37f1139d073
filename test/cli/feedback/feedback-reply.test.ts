import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function joined(team: Team, id: string) {
  const member = await team.join("maintainer");
  const note = (body: string) => member.call("POST", `/feedback/${id}/messages`, { direction: "note", body });
  return { ...member, note };
}

async function start(scopes = ["feedback:read", "feedback:write"]) {
  const team = await makeTeam(service);
  const id = await sendFeedback(service, team.app.key);
  const maria = await team.join("maintainer");
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_TOKEN: await service.makeToken(maria, "maintainer", { scopes }),
  });
  const ben = await joined(team, id);
  const benReplies = async (body = "Ben's answer."): Promise<string> => {
    const answer = await ben.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body });
    return String(Object(answer.body).id);
  };
  const replies = async () => {
    const { body } = await team.call("GET", `/feedback/${id}`);
    const messages: { body: string }[] = Object(body).messages;
    return messages.map((message) => message.body);
  };
  const reply = (flags: readonly string[] = [], answer?: string) => {
    const asked: string[] = [];
    const typed = (question: string) => {
      asked.push(question);
      return answer ?? "";
    };
    return line
      .run(["feedback", "reply", id, "--body", "Maria's answer.", ...flags], {
        terminal: answer !== undefined,
        typed,
      })
      .then((ran) => ({ ...ran, asked }));
  };
  const view = () => line.run(["feedback", "view", id]);
  const pages = (senderPages: boolean) => team.call("PATCH", team.at, { senderPages });
  return { ben, benReplies, replies, reply, view, pages };
}

describe("the command feedback reply", () => {
  it("asks a person on a terminal after somebody else has replied", async () => {
    const { ben, benReplies, replies, reply } = await start();
    await benReplies();
    const stopped = await reply([], "n");
    expect([stopped.exit, stopped.stderr]).toEqual([
      7,
      expect.stringMatching(/Nothing was sent\. .* replied at .*\n.*innkeep feedback view .*--force/s),
    ]);
    expect(stopped.asked).toEqual([
      expect.stringMatching(new RegExp(`^${ben.email} replied at .* Send your reply anyway\\? \\[y/N\\] $`)),
    ]);
    expect(await replies()).toEqual(["Ben's answer."]);
    expect((await reply(["--idempotency-key", "one"], "y")).exit).toBe(0);
    expect(await replies()).toEqual(["Ben's answer.", "Maria's answer."]);
  });

  it("does not ask after the person's own reply, or with --force", async () => {
    const { benReplies, replies, reply } = await start();
    expect((await reply([], "")).asked).toEqual([]);
    expect((await reply([], "")).asked).toEqual([]);
    await benReplies();
    const forced = await reply(["--force"], "");
    expect([forced.exit, forced.asked]).toEqual([0, []]);
    expect(await replies()).toHaveLength(4);
  });

  it("refuses a program that has read an older reply, and sends the reply of a program that names no message", async () => {
    const { benReplies, reply } = await start();
    const read = await benReplies();
    expect((await reply(["--expect-message", "none"])).stderr).toMatch(/Nothing was sent\. .*--force/s);
    expect((await reply(["--expect-message", read])).exit).toBe(0);
    await benReplies("Ben's second answer.");
    const refused = await reply(["--expect-message", read, "--json"]);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "answered", status: 409 });
    expect((await reply()).exit).toBe(0);
  });

  it("refuses a reply that names the newest message of an earlier read if somebody has added a note in the meantime", async () => {
    const { ben, benReplies, reply, view } = await start();
    const read = await benReplies();
    expect((await view()).stdout).toContain(`\nNewest message: ${read}\n`);
    await ben.note("Legal answers this one.");
    const refused = await reply(["--expect-message", read]);
    expect([refused.exit, refused.stderr]).toEqual([
      7,
      expect.stringMatching(new RegExp(`Nothing was sent\\. ${ben.email} added a note at `)),
    ]);
  });

  it("resolves the thread together with the reply, and prints how the reply reaches the sender", async () => {
    const { reply, view, pages } = await start();
    expect((await reply(["--resolve"])).stderr).toMatch(
      /^Replied to feedback \S+ and resolved it\. The reply is only on the sender's page\.$/m,
    );
    expect((await view()).stdout).toMatch(
      /^Status: resolved, [\s\S]*^Delivery: The reply is only on the sender's page\.$/m,
    );
    await pages(false);
    expect((await reply()).stderr).toMatch(
      /Not delivered: this server sends no mail, and sender pages are off\. An owner can turn on sender pages/,
    );
  });

  it("works with a token that cannot read", async () => {
    const { benReplies, reply } = await start(["feedback:write"]);
    await benReplies();
    expect(await reply([], "n")).toMatchObject({ exit: 0, asked: [] });
  });
});
