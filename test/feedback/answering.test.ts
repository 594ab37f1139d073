import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { tidy } from "../../server/jobs/housekeeping.ts";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { saveDraft } from "../support/browser/save-draft.ts";
import { sqlite } from "../support/database/databases.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam, type Team } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

type Member = Awaited<ReturnType<Team["join"]>>;
type Texts = Readonly<Record<string, string>>;

it("another server of the database shows who is writing an answer", async () => {
  const database = await sqlite.create();
  const [one, other] = [await startService({ database }), await startService({ database })];
  onTestFinished(() =>
    Promise.all([one, other].map((service) => service.stop())).then(() => database.remove()),
  );
  const team = await makeTeam(one);
  const maria = await team.join("maintainer");
  const id = await sendFeedback(one, team.app.key);
  const page = `/console/feedback/${team.app.id}/${id}`;
  await saveDraft(one, maria.headers, { page, texts: { noteBody: "For us" }, more: { answering: id } });
  const shown = await createBrowserWithoutScripts(other, await other.signIn(team.owner)).open(page);
  expect(readingOf(shown)).toContain(`${maria.email} is answering.`);
});

describe("the mark of a person who is writing an answer", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  let team: Team;
  let maria: Member;
  let ben: Member;
  let id: string;
  beforeEach(async () => {
    team = await makeTeam(service);
    [maria, ben] = [await team.join("maintainer"), await team.join("maintainer")];
    id = await sendFeedback(service, team.app.key);
  });

  const path = (thread = id) => `/console/feedback/${team.app.id}/${thread}`;
  const type = (who: Pick<Member, "headers">, texts: Texts = { replyBody: "Dear sender" }, thread = id) =>
    saveDraft(service, who.headers, {
      page: `${path(thread)}/edit`,
      texts,
      more: { answering: thread },
    });
  const open = (who: Pick<Member, "headers">, thread = id) =>
    createBrowserWithoutScripts(service, who.headers).open(path(thread));
  const shownTo = async (who: Pick<Member, "headers">, thread = id) =>
    /(?:^|\s)(\S+(?:, \S+)*(?: and \S+)?) (?:is|are) answering\./.exec(
      readingOf(await open(who, thread)),
    )?.[1];
  const rows = () =>
    service.deps.database.all<{ notedAt: string }>(
      `SELECT noted_at AS "notedAt" FROM answering_members WHERE feedback_id = ?`,
      id,
    );

  it("is shown to the other members, without scripts, while the person writes and for 45 seconds after", async () => {
    const viewer = await team.join("viewer");
    expect(await shownTo(ben)).toBeUndefined();
    expect((await type(maria)).status).toBe(200);
    expect(await shownTo(ben)).toBe(maria.email);
    expect(await shownTo(viewer)).toBe(maria.email);
    expect(await shownTo(maria)).toBeUndefined();
    expect(await shownTo(ben, await sendFeedback(service, team.app.key))).toBeUndefined();

    service.clock.advance(30_000);
    await type(maria, { noteBody: "For us" });
    await type(ben, { note: "Do less." });
    expect(await shownTo(viewer)).toBe([maria.email, ben.email].sort().join(" and "));
    service.clock.advance(44_000);
    expect(await shownTo(ben)).toBe(maria.email);
    service.clock.advance(1_000);
    expect(await shownTo(ben)).toBeUndefined();
  });

  it("ends immediately when the person deletes the text, and moves when the person writes in another thread", async () => {
    await type(maria);
    await type(maria, { replyBody: " " });
    expect(await shownTo(ben)).toBeUndefined();
    await type(maria, { "recallNote:run-1": "Wait" });
    expect(await shownTo(ben)).toBe(maria.email);
    const other = await sendFeedback(service, team.app.key);
    await type(maria, { replyBody: "Here" }, other);
    expect([await shownTo(ben), await shownTo(ben, other)]).toEqual([undefined, maria.email]);
    await type(maria, {});
    expect(await shownTo(ben, other)).toBe(maria.email);
  });

  it("is not shown for other fields of the thread", async () => {
    await type(maria, { subject: "Another subject", githubIssueUrl: "https://github.com/a/b/issues/1" });
    expect(await shownTo(ben)).toBeUndefined();
  });

  it("is stored at most every 20 seconds", async () => {
    await type(maria);
    const [first] = await rows();
    service.clock.advance(19_000);
    await type(maria, { replyBody: "Dear sender," });
    expect(await rows()).toEqual([first]);
    service.clock.advance(1_000);
    await type(maria, { replyBody: "Dear sender, we" });
    expect(await rows()).not.toEqual([first]);
    expect(await rows()).toHaveLength(1);
  });

  it("is never shown for a person who may not answer, or may no longer answer", async () => {
    const viewer = await team.join("viewer");
    const stranger = await team.newcomer();
    for (const who of [viewer, stranger]) expect((await type(who)).status).toBe(200);
    expect(await rows()).toEqual([]);
    expect((await saveDraft(service, {}, { page: path(), texts: { replyBody: "x" } })).status).toBe(401);

    await type(maria);
    await team.call("PATCH", `${team.at}/members/${maria.id}`, { role: "viewer" });
    expect(await shownTo(ben)).toBeUndefined();
    await team.call("PATCH", `${team.at}/members/${maria.id}`, { role: "maintainer" });
    expect(await shownTo(ben)).toBe(maria.email);
    await team.call("DELETE", `${team.at}/members/${maria.id}`);
    expect(await rows()).toEqual([]);
    expect(await shownTo(ben)).toBeUndefined();
  });

  it("needs a valid session and a thread of an app of the person", async () => {
    const foreign = await makeTeam(service);
    expect((await type({ headers: await service.signIn(foreign.owner) })).status).toBe(200);
    expect(await shownTo(ben)).toBeUndefined();
    await service.request("DELETE", "/api/v1/console/session", {
      headers: { ...maria.headers, origin: service.baseUrl },
    });
    expect((await type(maria)).status).toBe(401);
    for (const answering of ["'", "\0", "a".repeat(65)])
      expect(
        (await saveDraft(service, ben.headers, { page: path(), texts: {}, more: { answering } })).status,
      ).toBe(400);
    expect(await rows()).toEqual([]);
  });

  it("changes nothing on the thread: neither activity, unread state, ETag and audit, nor the changes for agents", async () => {
    const token = await service.makeToken(team.owner, "agent");
    const work = async (query = ""): Promise<object> => {
      const headers = { authorization: `Bearer ${token}` };
      return Object((await service.request("GET", `/api/v1/agent/feedback${query}`, { headers })).body);
    };
    const state = async () => {
      const at = `/api/v1/console/feedback/${id}`;
      const { headers } = await service.request("GET", at, { headers: ben.headers });
      const inbox = await ben.call("GET", `${team.at}/feedback`);
      const audit = await team.call("GET", `/audit?appId=${team.app.id}`);
      return [headers.get("etag"), inbox.body, audit.body, await readMarks()];
    };
    const readMarks = () => service.deps.database.all("SELECT * FROM thread_looks WHERE feedback_id = ?", id);
    const before = await state();
    const { changes } = Object(await work());
    service.clock.advance(1_000);
    await type(maria);
    expect(await shownToLiveRequest()).toContain(`${maria.email}</bdi> is answering.`);
    expect(await state()).toEqual(before);
    expect(await work(`?changedAfter=${changes}`)).toMatchObject({ items: [] });
  });
  const shownToLiveRequest = async () =>
    (await service.request("GET", path(), { headers: { ...ben.headers, "x-innkeep-live": "1" } })).text;

  it("is deleted after ten minutes, but not while the clock is uncertain", async () => {
    await type(maria);
    service.clock.pass(11 * 60_000);
    await tidy({ ...service.deps, time: { ...service.deps.time, isDoubtful: () => true } });
    expect(await rows()).toHaveLength(1);
    await tidy(service.deps);
    expect(await rows()).toEqual([]);
  });

  it("is not shown for a long time after the clock jumped ahead for a moment", async () => {
    service.clock.advance(5 * 86_400_000);
    await type({ headers: await service.signIn(maria) });
    service.clock.advance(-5 * 86_400_000);
    expect(await shownTo(ben)).toBeUndefined();
    await type(maria);
    expect(await shownTo(ben)).toBe(maria.email);
  });

  it("is deleted with the thread and with the account", async () => {
    await type(maria);
    await service.deps.database.write((tx) => tx.run("DELETE FROM users WHERE id = ?", maria.id));
    expect(await rows()).toEqual([]);
    await type(ben);
    expect((await team.call("DELETE", `/feedback/${id}`)).status).toBe(204);
    expect(await rows()).toEqual([]);
  });
});
