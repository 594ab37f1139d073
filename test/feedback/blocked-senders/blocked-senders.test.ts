import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFeedback } from "../../../server/feedback/blocked-senders/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { readingOf } from "../../support/browser/browser-without-scripts.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a blocked sender", () => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const report = (body: object = {}) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": team.app.key },
      body: { type: "bug", message: "Buy zebras now.", ...body },
    });
  const block = (sender: string, kind = "address", call = team.call) =>
    call("POST", `/apps/${team.app.id}/blocked-senders`, { kind, sender });
  const blocked = async (kind = "address", name = `eve${service.deps.newId()}`) => {
    const sender = kind === "address" ? `${name}@example.org` : `${name}.example`;
    const made = await block(sender, kind);
    expect(made.status).toBe(201);
    return { sender, id: String(made.field("id")) };
  };
  const unblock = (id: string) => team.call("DELETE", `/blocked-senders/${id}`);
  const hidden = async (): Promise<{ id: string; text: string }[]> =>
    Object((await team.call("GET", `/apps/${team.app.id}/hidden-feedback`)).body).items;
  const isListed = async (id: string) => {
    const lists = ["", "?status=open", "?order=activity", "?order=activity&unread=true", "?q=zebras"];
    const found = [];
    for (const query of lists)
      found.push((await team.call("GET", `${team.at}/feedback${query}`)).text.includes(id));
    return found;
  };
  const everywhere = [true, true, true, true, true];
  const nowhere = [false, false, false, false, false];
  const pageOf = (statusUrl: unknown) =>
    service.request("GET", new URL(String(statusUrl)).pathname, { headers: { accept: "text/html" } });
  const answerOn = async (statusUrl: unknown, answer: string) => {
    const page = await pageOf(statusUrl);
    const once = /name="once" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    return service.request("POST", new URL(String(statusUrl)).pathname, {
      headers: {
        accept: "text/html",
        origin: service.baseUrl,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ once, answer }).toString(),
    });
  };

  it("gets the same answer as others, and the report is in no list and no search until it is released", async () => {
    const { sender } = await blocked();
    const seen = await report({ email: "good@example.org" });
    const unseen = await report({ email: sender, images: [dataUrl(png())] });
    expect([unseen.status, Object.keys(Object(unseen.body))]).toEqual([201, Object.keys(Object(seen.body))]);
    const id = unseen.field("id");
    expect([await isListed(seen.field("id")), await isListed(id)]).toEqual([everywhere, nowhere]);
    expect((await team.call("GET", `/feedback/${id}`)).status).toBe(404);
    expect((await team.call("PATCH", `/feedback/${id}`, { status: "open" })).status).toBe(404);
    expect(await hidden()).toMatchObject([{ id, senderEmail: sender, text: "Buy zebras now." }]);
    expect((await team.call("POST", `/hidden-feedback/${id}/release`)).body).toMatchObject({ threadId: id });
    expect(await isListed(id)).toEqual(everywhere);
    const { body } = await team.call("GET", `/feedback/${id}`);
    expect(body).toMatchObject({ feedback: { status: "open", images: [expect.any(String)] } });
    expect((await team.call("POST", `/hidden-feedback/${id}/release`)).status).toBe(404);
    const later = await report({ email: sender });
    expect(await isListed(later.field("id"))).toEqual(nowhere);
  });

  it("is not shown to agents", async () => {
    const { sender } = await blocked();
    const id = (await report({ email: sender })).field("id");
    const headers = bearer(await service.makeToken(team.owner, "agent"));
    const since = encodeURIComponent(new Date(service.clock.now().getTime() - 60_000).toISOString());
    for (const query of ["", "?q=zebras", `?updatedSince=${since}`, "?type=bug", "?waiting=none"])
      expect(
        (await service.request("GET", `/api/v1/agent/feedback${query}`, { headers })).text,
      ).not.toContain(id);
    expect((await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers })).status).toBe(404);
  });

  it("is recognized by each spelling of the address, and no other person is", async () => {
    const name = `mallory${service.deps.newId()}`;
    await block(`${name}@b\u00fccher.example`);
    const contacts = [
      ` ${name.toUpperCase()}@B\u00dcCHER.Example `,
      `${name}+offer@b\u00fccher.example`,
      `${name}@xn--bcher-kva.example`,
      `${name}@bu\u0308cher.example`,
      `Mallory <${name}@b\u00fccher.example>`,
    ];
    for (const email of contacts)
      expect([email, await isListed((await report({ email })).field("id"))]).toEqual([email, nowhere]);
    for (const email of [`x${name}@b\u00fccher.example`, `${name}@bucher.example`, undefined])
      expect(await isListed((await report({ email })).field("id"))).toEqual(everywhere);
  });

  it("can be a mail domain with all its subdomains, which only an owner can block", async () => {
    const maria = await team.join("maintainer");
    expect((await block("spam.example", "domain", maria.call)).status).toBe(403);
    const { sender, id } = await blocked("domain");
    for (const email of [`a@${sender}`, `b+c@Mail.${sender.toUpperCase()}`])
      expect(await isListed((await report({ email })).field("id"))).toEqual(nowhere);
    expect(await isListed((await report({ email: `a@not-${sender}` })).field("id"))).toEqual(everywhere);
    expect((await maria.call("DELETE", `/blocked-senders/${id}`)).status).toBe(403);
    for (const wrong of ["org", "a@example.org", "127.0.0.1"])
      expect((await block(wrong, "domain")).status).toBe(400);
  });

  it("loses no report if the block was a mistake", async () => {
    const { sender, id } = await blocked();
    const before = await report({ email: sender, message: "Before zebras." });
    await unblock(id);
    const again = await block(sender);
    const one = await report({ email: sender, message: "First zebras." });
    const two = await report({ email: sender, message: "Second zebras." });
    await answerOn(two.field("statusUrl"), "My answer.");
    expect((await unblock(again.field("id"))).status).toBe(204);
    for (const each of [before, one, two]) expect(await isListed(each.field("id"))).toEqual(everywhere);
    const { body } = await team.call("GET", `/feedback/${two.field("id")}`);
    expect(body).toMatchObject({ messages: [{ direction: "inbound", body: "My answer." }] });
    expect(await isListed((await report({ email: sender })).field("id"))).toEqual(everywhere);
    expect((await unblock(id)).status).toBe(404);
  });

  it("sees no difference on the page of a report, and the team does not see the answers", async () => {
    const sender = `page${service.deps.newId()}@example.org`;
    const sent = await report({ email: sender });
    const id = sent.field("id");
    await team.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    await block(sender);
    expect((await answerOn(sent.field("statusUrl"), "Hidden words.")).status).toBe(303);
    expect(readingOf(await pageOf(sent.field("statusUrl")))).toContain("You answered");
    const { body, text } = await team.call("GET", `/feedback/${id}`);
    expect(body).toMatchObject({ feedback: { status: "resolved" }, messages: [], omittedMessages: 0 });
    expect(text).not.toContain("Hidden words.");
    expect((await team.call("GET", `${team.at}/feedback?status=resolved`)).text).not.toContain(
      "Hidden words.",
    );
    const answer = (await hidden()).find((each) => each.text === "Hidden words.");
    await team.call("POST", `/hidden-feedback/${answer?.id}/release`);
    expect((await team.call("GET", `/feedback/${id}`)).text).toContain("Hidden words.");
    const own = await report({ email: sender, message: "On its own page." });
    expect(readingOf(await pageOf(own.field("statusUrl")))).toMatch(/State: Received .*On its own page\./);
  });

  it("adds nothing to the thread of a failure that others reported, and sees no difference", async () => {
    const { sender } = await blocked();
    const dedupeKey = service.deps.newId();
    const first = (await report({ dedupeKey })).field("id");
    const repeat = await report({ email: sender, dedupeKey, message: "Hidden repeat." });
    expect(repeat.body).toMatchObject({ id: first, deduplicated: true });
    const { body } = await team.call("GET", `/feedback/${first}`);
    expect(body).toMatchObject({ feedback: { occurrences: 1 }, messages: [] });
    expect(readingOf(await pageOf(repeat.field("statusUrl")))).toContain("Hidden repeat.");
    const other = service.deps.newId();
    const alone = await report({ email: sender, dedupeKey: other });
    expect((await report({ email: sender, dedupeKey: other })).body).toMatchObject({
      id: alone.field("id"),
      deduplicated: true,
    });
    expect((await report({ dedupeKey: other })).field("id")).not.toBe(alone.field("id"));
  });

  it("is blocked in one app only, by maintainers, once, with an entry in the audit", async () => {
    const { sender, id } = await blocked();
    expect((await block(sender.toUpperCase())).status).toBe(409);
    const other = await makeTeam(service);
    const headers = { "x-api-key": other.app.key };
    const body = { type: "bug", message: "Elsewhere.", email: sender };
    const sent = await service.request("POST", "/api/v1/feedback/remote", { headers, body });
    expect((await other.call("GET", `${other.at}/feedback`)).text).toContain(sent.field("id"));
    const viewer = await team.join("viewer");
    const refused = [
      await viewer.call("GET", `/apps/${team.app.id}/blocked-senders`),
      await viewer.call("GET", `/apps/${team.app.id}/hidden-feedback`),
      await block("x@example.org", "address", viewer.call),
      await viewer.call("DELETE", `/blocked-senders/${id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const { items } = Object((await team.call("GET", "/audit?action=sender.block&limit=1")).body);
    expect(items).toMatchObject([{ target: sender, actor: team.owner.email }]);
  });

  it("is deleted with all blocked reports after 30 days", async () => {
    const { sender } = await blocked();
    const id = (await report({ email: sender, images: [dataUrl(png())] })).field("id");
    const dedupeKey = service.deps.newId();
    await report({ dedupeKey, message: "Kept zebras." });
    await report({ email: sender, dedupeKey, message: "Old repeat.", images: [dataUrl(png())] });
    service.clock.advance(31 * 86_400_000);
    await tidy(service.deps);
    const { database } = service.deps;
    expect(await hiddenFeedback.list(database, team.app.id, 1)).toEqual([]);
    const rows = await database.all("SELECT 1 AS one FROM feedback WHERE id = ?", id);
    const uploads = await database.all("SELECT name FROM uploads WHERE app_id = ?", team.app.id);
    expect(rows).toEqual([]);
    const kept = await database.all("SELECT id FROM feedback WHERE dedupe_key = ?", dedupeKey);
    expect(kept).toHaveLength(1);
    expect(uploads).toHaveLength(1);
  });
});
