import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a text or a change of a member", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const readAsOwner = async (team: Team, path: string) => {
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    return readingOf(await owner.open(path));
  };

  it("shows its author to members, and not to agents, if it is a note or a reply", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const threadId = await sendFeedback(service, team.app.key);
    await ada.call("POST", `/feedback/${threadId}/messages`, { direction: "note", body: "Seen." });
    await grace.call("POST", `/feedback/${threadId}/messages`, { direction: "outbound", body: "Thanks." });
    expect((await team.call("GET", `/feedback/${threadId}`)).body).toMatchObject({
      messages: [
        { body: "Seen.", author: "team", writtenBy: ada.email },
        { body: "Thanks.", author: "team", writtenBy: grace.email },
      ],
    });
    const page = await readAsOwner(team, `/console/feedback/${team.app.id}/${threadId}`);
    expect(page).toContain(`Internal note by ${ada.email}`);
    expect(page).toContain(`by ${grace.email}`);
    const agent = { authorization: `Bearer ${await service.makeToken(team.owner, "agent")}` };
    const read = await service.request("GET", `/api/v1/agent/feedback/${threadId}`, { headers: agent });
    expect(read.text).toContain("Seen.");
    expect(read.text).not.toContain(ada.email);
  });

  it("shows its author if it is a decision", async () => {
    const team = await makeTeam(service);
    const ada = await team.join("maintainer");
    const threadId = await sendFeedback(service, team.app.key);
    const runId = await propose(service, await service.makeToken(team.owner, "agent"), threadId);
    await ada.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    const page = await readAsOwner(team, `/console/feedback/${team.app.id}/${threadId}`);
    expect(page).toContain(`Approved by ${ada.email}`);
  });

  it("shows its last author if it is in the FAQ, and no author after an app key changed it", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const faqs = `/console/faqs/${team.app.id}`;
    const made = await ada.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    expect(await readAsOwner(team, faqs)).toContain(`by ${ada.email}`);
    const id = made.field("id");
    await grace.call("PATCH", `/faqs/${id}`, { answer: "Because." });
    expect(await readAsOwner(team, faqs)).toContain(`by ${grace.email}`);
    const list = await ada.call("GET", `${team.at}/faqs`);
    const headers = { ...ada.headers, "if-match": list.headers.get("etag") ?? "" };
    const body = { faqs: [{ id, question: "Why?", answer: "Anew." }] };
    const path = `/api/v1/console${team.at}/faqs`;
    expect((await service.request("PUT", path, { headers, body })).status).toBe(200);
    expect(await readAsOwner(team, faqs)).toContain(`by ${ada.email}`);
    await service.request("PATCH", `/api/v1/faqs/remote/${id}`, {
      headers: { "x-api-key": team.app.key },
      body: { answer: "From CI." },
    });
    expect(await readAsOwner(team, faqs)).not.toMatch(/Changed [^·]*? by /);
  });

  describe("in the FAQ keeps its author and its time if another member moves the entry (rule C37)", () => {
    type Member = Awaited<ReturnType<Team["join"]>>;

    /** Lets the first entry of two come last. Both are as they are in the list. */
    const moves: readonly {
      readonly way: string;
      readonly move: (team: Team, mover: Member, ids: readonly string[]) => Promise<unknown>;
    }[] = [
      {
        way: "by a change of its sort order",
        move: (_, mover, [id]) => mover.call("PATCH", `/faqs/${id}`, { sortOrder: 9 }),
      },
      {
        way: "by a change that repeats its texts",
        move: (_, mover, [id]) =>
          mover.call("PATCH", `/faqs/${id}`, { question: "Why?", answer: "So.", sortOrder: 9 }),
      },
      {
        way: "with an app key",
        move: ({ app }, _, [id]) =>
          service.request("PATCH", `/api/v1/faqs/remote/${id}`, {
            headers: { "x-api-key": app.key },
            body: { sortOrder: 9 },
          }),
      },
      {
        way: "by a new list",
        async move({ at }, mover, [id, other]) {
          const path = `/api/v1/console${at}/faqs`;
          const list = await service.request("GET", path, { headers: mover.headers });
          const headers = { ...mover.headers, "if-match": list.headers.get("etag") ?? "" };
          return service.request("PUT", path, {
            headers,
            body: { faqs: [{ id, question: "Why?", answer: "So.", sortOrder: 9 }, { id: other }] },
          });
        },
      },
      {
        way: "with a button of the list",
        async move({ app }, mover, [id]) {
          const browser = createBrowserWithoutScripts(service, mover.headers);
          const list = `/console/faqs/${app.id}`;
          return browser.send(await browser.open(list), `${list}/order`, { move: `${id} bottom` });
        },
      },
    ];

    it.each(moves)("$way", async ({ move }) => {
      const team = await makeTeam(service);
      const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
      const write = async (question: string) =>
        (await ada.call("POST", `${team.at}/faqs`, { question, answer: "So." })).field("id");
      const ids = [await write("Why?"), await write("How?")];
      const before = await team.call("GET", `${team.at}/faqs`);
      service.clock.advance(3 * 3_600_000);
      await move(team, grace, ids);
      const after = await team.call("GET", `${team.at}/faqs`);
      expect(after.body).toMatchObject([{ id: ids[1] }, { id: ids[0] }]);
      expect(after.field("1.updatedAt")).not.toBe(before.field("0.updatedAt"));
      expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
      const page = await readAsOwner(team, `/console/faqs/${team.app.id}`);
      expect(page.match(/Changed 3 hours ago by [^ ]*/g)).toEqual(
        [ada, ada].map(({ email }) => `Changed 3 hours ago by ${email}`),
      );
      await grace.call("PATCH", `/faqs/${ids[0]}`, { answer: "Because." });
      expect((await team.call("GET", `/faqs/${ids[0]}/history`)).body).toMatchObject({
        items: [{ answer: "So.", by: ada.email, at: before.field("0.updatedAt") }],
      });
      expect(await readAsOwner(team, `/console/faqs/${team.app.id}`)).toContain(`by ${grace.email}`);
    });
  });

  it("shows no author to apps if it is in the FAQ", async () => {
    const team = await makeTeam(service);
    await team.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    const headers = { "x-api-key": team.app.key };
    const { text } = await service.request("GET", "/api/v1/faqs/remote", { headers });
    expect(text).toContain("Why?");
    expect(text).not.toContain(team.owner.email);
  });

  it("shows its last author if it is a release note", async () => {
    const team = await makeTeam(service);
    const [ada, grace] = [await team.join("maintainer"), await team.join("maintainer")];
    const notes = `/console/changelog/${team.app.id}`;
    const made = await ada.call("POST", `${team.at}/changelog`, { title: "First", version: "1.0.0" });
    expect(await readAsOwner(team, notes)).toContain(`by ${ada.email}`);
    await grace.call("POST", `/changelog/${made.field("id")}/publish`);
    expect(await readAsOwner(team, notes)).toContain(`by ${grace.email}`);
    await ada.call("PUT", `${team.at}/changelog/by-version/1.0.0`, { title: "Other" });
    await ada.call("PUT", `${team.at}/changelog/by-version/2.0.0`, { title: "Second" });
    expect(await readAsOwner(team, notes)).toContain(`by ${ada.email}`);
  });

  it("shows its last author if it is a change of settings", async () => {
    const team = await makeTeam(service);
    const grace = await team.join("owner");
    expect(await readAsOwner(team, `/console/apps/${team.app.id}`)).not.toContain(grace.email);
    await grace.call("PATCH", team.at, { name: "Renamed" });
    expect(await readAsOwner(team, `/console/apps/${team.app.id}`)).toContain(`by ${grace.email}`);
  });

  it("shows its author even after that person has left", async () => {
    const team = await makeTeam(service);
    const ada = await team.join("maintainer");
    const threadId = await sendFeedback(service, team.app.key);
    await ada.call("POST", `/feedback/${threadId}/messages`, { direction: "note", body: "Seen." });
    await ada.call("DELETE", `/apps/${team.app.id}/members/${ada.id}`);
    const { body } = await team.call("GET", `/feedback/${threadId}`);
    expect(body).toMatchObject({ messages: [{ writtenBy: ada.email }] });
  });
});
