import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fullTime } from "../../../server/console/times.tsx";
import { bulkChanges } from "../../../server/feedback/bulk/store.ts";
import { agentScopes } from "../../../src/contract/endpoint.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the triage desk, without scripts", () => {
  let service: Service;
  let team: Team;
  let maria: Awaited<ReturnType<Team["join"]>>;
  let browser: BrowserWithoutScripts;
  let inbox: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    maria = await team.join("maintainer");
    browser = createBrowserWithoutScripts(service, maria.headers);
    inbox = `/console/feedback/${team.app.id}`;
  });
  afterAll(() => service.stop());

  const send = async (subject: string, more: object = {}) => {
    service.clock.advance(1_000);
    const id = await sendFeedback(service, team.app.key, { subject, ...more });
    service.clock.advance(1_000);
    return id;
  };
  const open = (query = "") => browser.open(`${inbox}${query}`);
  const subjectsIn = ({ text }: Answer) =>
    [...text.matchAll(/id="thread-[^>]*>(?:<span class="unseen">[^<]*<\/span>)?<bdi>([^<]*)/g)].map(
      ([, subject]) => subject,
    );
  /** Sends the form of the list with these checkboxes selected, and opens the next page. */
  const act = async (page: Answer, ids: readonly string[], values: Record<string, string>) => {
    const { id: _, ...fields } = fieldsOf(formOf(page, `${inbox}/change`));
    const body = new URLSearchParams({ ...fields, ...values });
    for (const id of ids) body.append("id", id);
    const answer = await service.request("POST", `${inbox}/change`, {
      headers: {
        ...{ accept: "text/html", ...maria.headers },
        "content-type": "application/x-www-form-urlencoded",
      },
      body: body.toString(),
    });
    return answer.status === 303 ? browser.open(answer.headers.get("location") ?? "") : answer;
  };
  const statusOf = async (id: string) =>
    Object((await team.call("GET", `/feedback/${id}`)).body).feedback.status;
  const prefer = (body: object) =>
    service.request("PATCH", "/api/v1/console/preferences", {
      headers: { ...maria.headers, origin: service.baseUrl },
      body,
    });
  /** The numbers of the threads that the links for the previous and the next thread open. */
  const besideIn = ({ text }: Answer) =>
    ["\\[", "\\]"].map((key) => new RegExp(`open=(\\d+)"[^>]*data-key="${key}"`).exec(text)?.[1]);
  const placeIn = ({ text }: Answer) => /class="place"[^>]*>([^<]*)/.exec(text)?.[1];
  const openedIn = ({ text }: Answer) => /data-opened="([^"]*)"/.exec(text)?.[1];

  it("shows the views with their counts and the list of threads to triage, and opens each view", async () => {
    const [first, second, third] = [await send("First"), await send("Second"), await send("Third")];
    await maria.call("PATCH", `/feedback/${second}`, { assignee: "me" });
    await maria.call("PATCH", `/feedback/${third}`, { status: "resolved" });
    const page = await open();
    expect(subjectsIn(page)).toEqual(["Second", "First"]);
    expect(readingOf(page)).toContain(
      "To triage 2 Mine 1 Unassigned 1 Waiting for us 2 Waiting for sender 0 Snoozed 0 Resolved 1 All 3 Unread",
    );
    expect(readingOf(page)).toMatch(/2 threads/);
    expect(subjectsIn(await open("?view=mine"))).toEqual(["Second"]);
    expect(subjectsIn(await open("?view=resolved"))).toEqual(["Third"]);
    expect(subjectsIn(await open("?view=all&order=created"))).toEqual(["Third", "Second", "First"]);
    expect(first).not.toBe(second);
  });

  it("begins with the thread without activity for the longest time in that order, and goes on in it", async () => {
    const ids = [await send("First"), await send("Second"), await send("Third")];
    const list = "view=waiting_on_us&order=oldest_activity";
    const page = await open(`?${list}`);
    expect(subjectsIn(page)).toEqual(["First", "Second", "Third"]);
    expect(page.text).toMatch(/<option value="oldest_activity" selected[^>]*>Longest without activity</);
    const opened = await open(`?${list}&open=2`);
    expect([besideIn(opened), placeIn(opened)]).toEqual([["1", "3"], "2 of 3"]);
    await send("Fourth");
    const after = await act(await open(`?${list}&open=1`), ids.slice(0, 1), { act: "resolve" });
    expect([openedIn(after), subjectsIn(after)]).toEqual([ids[1], ["Second", "Third", "Fourth"]]);
  });

  it("keeps the order in a saved view", async () => {
    for (const name of ["First", "Second"]) await send(name);
    const page = await open("?status=open&order=oldest_activity");
    const saved = await browser.follow(
      await browser.send(page, `/console/views/${team.app.id}`, { viewName: "Late" }),
    );
    expect(subjectsIn(saved)).toEqual(["First", "Second"]);
    const { body } = await maria.call("GET", `/apps/${team.app.id}/views`);
    expect(Object(body).items).toMatchObject([{ query: { status: "open", order: "oldest_activity" } }]);
    const again = /href="([^"]*saved=[^"]*)"/.exec((await open()).text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(subjectsIn(await browser.open(again))).toEqual(["First", "Second"]);
  });

  it("says that the work is done and how many threads are snoozed if all open threads are snoozed", async () => {
    const ids = [await send("First"), await send("Second")];
    expect(readingOf(await act(await open(), ids.slice(0, 1), { act: "snooze:24" }))).not.toContain(
      "All done",
    );
    const page = await act(await open(), ids, { act: "snooze:24" });
    expect(readingOf(page)).toContain("All done No thread is waiting for triage. 2 threads are snoozed");
    expect(page.text).toContain(`<a href="${inbox}?view=snoozed">2 threads are snoozed</a>`);
    expect(readingOf(page)).not.toContain("Keys and settings");
  });

  it.each([
    "status=open&snoozed=false&waitingOn=sender&order=activity",
    "status=open&snoozed=true&order=activity&waitingOn=sender",
    "status=open&snoozed=false&sender=nobody%40example.org&order=activity",
  ])("says only that the list %s is empty if it has further filters", async (query) => {
    await send("First");
    const words = readingOf(await open(`?${query}`));
    expect(words).toContain("Nothing here No thread is in this list right now.");
    expect(words).not.toContain("All done");
  });

  it.each([
    ["mine", "No open or started thread is assigned to you. 1 thread is snoozed"],
    ["unassigned", "Every open or started thread has an assignee. 1 thread is snoozed"],
    ["waiting_on_us", "No thread is waiting for your team. 1 thread is snoozed"],
    ["waiting_on_sender", "No thread is waiting for its sender. 1 thread is snoozed"],
    ["resolved", "No thread is resolved."],
  ])("says what the empty view %s would contain", async (view, words) => {
    await act(await open(), [await send("First")], { act: "snooze:24" });
    expect(readingOf(await open(`?view=${view}`))).toContain(`Nothing here ${words}`);
    expect(readingOf(await open("?view=snoozed"))).not.toContain("Nothing here");
  });

  it("opens a thread beside the list by its number or its id, or says that there is no such thread", async () => {
    const [id] = [await send("First"), await send("Second")];
    const page = await open("?open=1");
    expect([openedIn(page), subjectsIn(page)]).toEqual([id, ["Second", "First"]]);
    expect(readingOf(page)).toContain("2 of 2");
    expect(openedIn(await open(`?open=${id}`))).toBe(id);
    for (const other of ["99", "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11", "nothing"])
      expect(readingOf(await open(`?open=${other}`))).toContain("This thread does not exist any more");
    const stranger = await service.makeApp(await service.makeUser());
    const foreign = await sendFeedback(service, stranger.key, { subject: "Secret" });
    expect((await open(`?open=${foreign}`)).text).not.toContain("Secret");
  });

  it("changes the ticked threads, says how many, and can undo the change", async () => {
    const ids = [await send("First"), await send("Second"), await send("Third")];
    const page = await act(await open(), ids.slice(0, 2), { act: "resolve" });
    expect(readingOf(page)).toContain("2 threads resolved. Undo");
    expect(subjectsIn(page)).toEqual(["Third"]);
    const undone = await browser.follow(await browser.send(page, `${inbox}/undo`));
    expect(readingOf(undone)).toContain("2 threads changed back.");
    expect(subjectsIn(undone)).toHaveLength(3);
    const again = await browser.send(page, `${inbox}/undo`, { once: "other" });
    expect(readingOf(again)).toContain("This change was already undone.");
  });

  it.each([
    ["archive", {}, "1 thread archived.", { status: "archived" }],
    ["assign:me", {}, "1 thread assigned.", { status: "open" }],
    ["tag", { tagName: "crash, later" }, "1 thread tagged.", { status: "open" }],
    ["snooze:24", {}, "1 thread snoozed until", { status: "open" }],
    ["read", {}, "1 thread marked as read.", { status: "open" }],
  ])("carries out the action %s", async (name, values, words, feedback) => {
    const id = await send("First");
    const page = await act(await open(), [id], { act: name, ...values });
    expect(readingOf(page)).toContain(words);
    const { body } = await maria.call("GET", `/feedback/${id}`);
    expect(body).toMatchObject({ feedback });
    if (name === "assign:me") expect(body).toMatchObject({ assignee: { userId: maria.id } });
    if (name === "tag") expect(body).toMatchObject({ tags: [{ name: "crash" }, { name: "later" }] });
    if (name === "snooze:24") expect(subjectsIn(page)).toEqual([]);
  });

  it("snoozes until 8:00 of a day in the zone of the browser, and the list says when the thread comes back", async () => {
    const id = await send("First");
    const day = new Date(service.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10);
    const values = { act: "snooze:day", snoozeDay: day, snoozeZone: "Asia/Tokyo" };
    await act(await open(), [id], values);
    const { body } = await maria.call("GET", `/feedback/${id}`);
    const before = new Date(Date.parse(`${day}T08:00:00+09:00`)).toISOString();
    expect(Object(body).feedback.snoozedUntil).toBe(before);
    expect(readingOf(await open("?view=snoozed"))).toMatch(/Snoozed\. Back in [45] days/);
    const without = await act(await open(), [id], { ...values, snoozeDay: "" });
    expect(readingOf(without)).toContain("Choose the day on which the thread comes back");
  });

  it("says until when one or several threads are snoozed, and shows that at the head of each", async () => {
    const ids = [await send("First"), await send("Second")];
    const [first = ""] = ids;
    const text = readingOf(await act(await open(), [first], { act: "snooze:24" }));
    const { body } = await maria.call("GET", `/feedback/${first}`);
    const until = fullTime(Object(body).feedback.snoozedUntil);
    expect(text).toContain(`1 thread snoozed until ${until} . Undo`);
    expect(readingOf(await browser.open(`${inbox}/${first}`))).toContain(`Open Snoozed until ${until}`);
    const both = readingOf(await act(await open("?status=open"), ids, { act: "snooze:72" }));
    expect(both).toMatch(/2 threads snoozed until \d+ \w+ \d{4}, \d\d:\d\d UTC \. Undo/);
    await act(await open("?status=open"), [first], { act: "wake" });
    expect(readingOf(await browser.open(`${inbox}/${first}`))).not.toContain("Snoozed until");
  });

  it.each(["tomorrow", "2026-13-45T99:00:00Z", "<b>"])(
    "shows no time if the address has %s as the end of a snooze",
    async (until) => {
      const page = await open(`?${new URLSearchParams({ did: "snooze", changed: "1", undo: "", until })}`);
      expect(page.status).toBe(200);
      expect(readingOf(page)).toContain("1 thread snoozed.");
    },
  );

  it("shows each filter that the view does not name, with a link that removes it", async () => {
    await send("First", { type: "bug" });
    const page = await open("?status=open&type=bug&assignee=none");
    const chips = /<ul class="row" aria-label="Filters">.*?<\/ul>/s.exec(page.text)?.[0] ?? "";
    expect([...chips.matchAll(/class="badge">([^<]*)/g)].map(([, words]) => words)).toEqual([
      "Open",
      "Bug",
      "Assigned to nobody",
    ]);
    const [withoutOpen] = [...chips.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? "");
    const next = await browser.open(withoutOpen?.replaceAll("&amp;", "&") ?? "");
    expect(next.text).not.toContain('class="badge">Open<');
    expect(readingOf(next)).toContain("Remove this filter");
    expect((await open()).text).not.toContain("Remove this filter");
  });

  it("snoozes a thread on its own page, and ends the snooze there", async () => {
    const id = await send("First");
    const at = `${inbox}/${id}`;
    const answered = await browser.send(await browser.open(at), `${at}/snooze`, { snoozeFor: "72" });
    const snoozed = await browser.open(answered.headers.get("location") ?? "");
    expect(readingOf(snoozed)).toContain("The thread is snoozed.");
    expect(readingOf(snoozed)).toMatch(/The thread comes back in [23] days/);
    const woken = await browser.send(snoozed, `${at}/snooze`, { snooze: "end" });
    expect(readingOf(await browser.open(woken.headers.get("location") ?? ""))).toContain(
      "The thread is no longer snoozed.",
    );
    await maria.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    expect((await browser.open(at)).text).not.toContain("snoozeFor");
  });

  it("refuses an action without a thread, without a tag and with an unknown name, and changes nothing", async () => {
    const id = await send("First");
    for (const [ids, values] of [
      [[], { act: "resolve" }],
      [[id], { act: "tag", tagName: " , " }],
      [[id], { act: "explode" }],
    ] as const) {
      const refused = await act(await open(), ids, values);
      expect([refused.status, readingOf(refused)]).toEqual([
        400,
        expect.stringContaining("Nothing was changed."),
      ]);
    }
    expect(await statusOf(id)).toBe("open");
  });

  it.each([
    ["a tag that is too long", "x".repeat(300), "“Tag” must have at most 40 characters."],
    ["too many tags", Array.from({ length: 30 }, (_, at) => `t${at}`).join(), "“Tag” must have at most"],
  ])("names the label of the field for %s, and no field of the API", async (_, tagName, words) => {
    const id = await send("First");
    const page = readingOf(await act(await open(), [id], { act: "tag", tagName }));
    expect(page).toContain(`Nothing was changed. ${words}`);
    expect(page).not.toContain("addTags");
  });

  it("selects all threads that match, and changes none if the list changed in the meantime", async () => {
    for (const subject of ["First", "Second", "Third"]) await send(subject);
    const page = await open("?all=1");
    expect(readingOf(page)).toContain("3 selected Select none");
    const late = await send("Late");
    const resolved = await act(page, [], { act: "resolve" });
    expect(readingOf(resolved)).toContain("3 threads resolved.");
    expect(await statusOf(late)).toBe("open");
    const second = await open("?all=1");
    await maria.call("PATCH", `/feedback/${late}`, { status: "archived" });
    const refused = await act(second, [], { act: "resolve" });
    expect([refused.status, readingOf(refused)]).toEqual([
      409,
      expect.stringContaining("Nothing was changed. The list has 0 threads now."),
    ]);
  });

  it("says how many plans wait after all threads of a list were resolved", async () => {
    const agent = await service.makeToken(team.owner, "agent", { scopes: agentScopes });
    const [first, second] = [await send("First"), await send("Second"), await send("Third")];
    for (const id of [first, second]) await propose(service, agent, id);
    const resolved = readingOf(await act(await open("?all=1"), [], { act: "resolve" }));
    expect(resolved).toContain("3 threads resolved. 2 plans still wait for a decision.");
  });

  it("counts no plans of other threads, of undone changes, or of another person's change", async () => {
    const agent = await service.makeToken(team.owner, "agent", { scopes: agentScopes });
    const [waits, other] = [await send("Waits"), await send("Other")];
    await propose(service, agent, waits);
    const resolve = async (id: string) => {
      const body = { ids: [id], change: { status: "resolved" } };
      return (await maria.call("POST", `${team.at}/feedback/bulk`, body)).field("undo");
    };
    const count = (change: string, userId = maria.id) =>
      bulkChanges.countAwaiting(service.deps.database, change, userId, 100);
    const change = await resolve(waits);
    expect([await count(change), await count(change, team.owner.id)]).toEqual([1, 0]);
    expect(await count(await resolve(other))).toBe(0);
    await maria.call("POST", `${team.at}/feedback/bulk/undo`, { undo: change });
    expect(await count(change)).toBe(0);
  });

  it("merges the ticked threads into the oldest one, and leaves out a thread with a proposal that waits", async () => {
    const [first, second, busy, alone] = [
      await send("First"),
      await send("Second"),
      await send("Busy"),
      await send("Alone"),
    ];
    await propose(service, await service.makeToken(team.owner, "agent", { scopes: agentScopes }), busy);
    const page = await act(await open(), [busy, second, first], { act: "merge" });
    expect(openedIn(page)).toBe(first);
    expect(readingOf(page)).toContain("1 thread merged into this one. 1 was left as it is.");
    expect(readingOf(page)).toContain("Second");
    expect((await maria.call("GET", `/feedback/${second}`)).body).toMatchObject({
      feedback: { id: first, mergedInto: first },
    });
    const apart = await browser.follow(await browser.send(page, `${inbox}/undo`));
    expect(readingOf(apart)).toContain("1 thread changed back.");
    expect((await maria.call("GET", `/feedback/${second}`)).body).toMatchObject({ feedback: { id: second } });
    for (const ids of [[alone], Array.from({ length: 21 }, () => crypto.randomUUID())]) {
      const refused = await act(await open(), ids, { act: "merge" });
      expect([refused.status, readingOf(refused)]).toEqual([
        400,
        expect.stringContaining("Select 2 to 20 threads one by one"),
      ]);
    }
  });

  it("opens the page that the person prefers after the open thread was resolved", async () => {
    const [first, second, third] = [await send("First"), await send("Second"), await send("Third")];
    const resolve = async (id: string) => act(await open(`?open=${id}`), [id], { act: "resolve", open: id });
    const withNext = async (id: string, next: string) =>
      act(await open(`?open=${id}`), [id], { act: "resolve", open: id, next });
    expect(openedIn(await withNext(third, second))).toBe(second);
    await prefer({ afterResolving: "stay" });
    expect(openedIn(await withNext(second, first))).toBe(second);
    await prefer({ afterResolving: "list" });
    expect(openedIn(await resolve(first))).toBeUndefined();
  });

  it("links a thread to the next one, and back to its position in the list even if it left the list", async () => {
    const [first, second, third] = [await send("First"), await send("Second"), await send("Third")];
    const page = await open(`?open=${second}`);
    const bar = page.text.slice(page.text.indexOf('class="pane-bar"'));
    const form = fieldsOf(formOf({ ...page, text: bar }, `${inbox}/change`));
    expect(form).toMatchObject({ id: second, open: second, next: first });
    const sent = await browser.send({ ...page, text: bar }, `${inbox}/change`, { act: "resolve" });
    expect(openedIn(await browser.follow(sent))).toBe(first);
    const saved = await browser.send(await open(`?open=${third}`), `${inbox}/${third}/edit`, {
      status: "archived",
    });
    const after = await browser.open(saved.headers.get("location") ?? "");
    expect([openedIn(after), readingOf(after)]).toEqual([
      third,
      expect.stringContaining("The changes are saved."),
    ]);
    expect(after.text).toMatch(/open=1"[^>]*data-key="\]"/);
  });

  it("keeps the place in the list after a reply that moves the thread to the top of the list", async () => {
    const subjects = ["First", "Second", "Third", "Fourth", "Fifth"];
    const ids: string[] = [];
    for (const subject of subjects) ids.push(await send(subject, { email: "kim@example.org" }));
    const [first = "", second = "", third = "", fourth = ""] = ids;
    const words = { direction: "outbound", replyBody: "Thanks." };
    const reply = async (page: Answer, id: string) =>
      browser.open(
        (await browser.send(page, `${inbox}/${id}/messages`, words)).headers.get("location") ?? "",
      );
    const replied = await reply(await open(`?open=${third}`), third);
    expect(subjectsIn(replied)).toEqual(["Third", "Fifth", "Fourth", "Second", "First"]);
    expect([besideIn(replied), placeIn(replied)]).toEqual([["4", "2"], "1 of 5"]);
    await send("Newest");
    const again = await reply(replied, third);
    expect(besideIn(again)).toEqual(["4", "2"]);
    const bar = again.text.slice(again.text.indexOf('class="pane-bar"'));
    const resolved = await browser.send({ ...again, text: bar }, `${inbox}/change`, { act: "resolve" });
    expect(openedIn(await browser.follow(resolved))).toBe(second);
    const last = await reply(await open(`?open=${first}`), first);
    expect(besideIn(last)).toEqual(["2", undefined]);
    const tagged = await act(last, [fourth], { act: "tag", tagName: "later" });
    expect([openedIn(tagged), besideIn(tagged)]).toEqual([first, ["2", undefined]]);
    const undone = await browser.send(tagged, `${inbox}/undo`);
    expect(besideIn(await browser.follow(undone))).toEqual(["2", undefined]);
    const refused = await browser.send(last, `${inbox}/${first}/messages`, {
      ...words,
      replyBody: "x".repeat(10_001),
    });
    expect([refused.status, besideIn(refused)]).toEqual([400, ["2", undefined]]);
    expect(placeIn(await open(`?open=${first}`))).toBe("1 of 5");
  });

  it("keeps the place on the own page of a thread after a reply", async () => {
    const [first, second, third] = [await send("First"), await send("Second"), await send("Third")];
    const at = `${inbox}/${first}`;
    const page = await browser.open(`${at}?list=view%3Dto_triage&at=2`);
    const words = { direction: "note", noteBody: "Look at this." };
    await maria.call("POST", `/feedback/${second}/messages`, { direction: "note", body: "Later." });
    const noted = await browser.send(page, `${at}/messages`, words);
    const after = await browser.open(noted.headers.get("location") ?? "");
    const links = [...after.text.matchAll(/href="([^"?]*)\?[^"]*"[^>]*data-key="[\][]"/g)];
    expect(links.map(([, href]) => href)).toEqual([`${inbox}/${third}`]);
  });

  it("continues with the next thread after a reply that resolves, and shows what happened with the reply", async () => {
    const [first, second] = [await send("First"), await send("Second", { email: "kim@example.org" })];
    const page = await open(`?open=${second}`);
    const words = { direction: "resolve", replyBody: "Mended." };
    const next = await browser.follow(await browser.send(page, `${inbox}/${second}/messages`, words));
    expect([openedIn(next), await statusOf(second)]).toEqual([first, "resolved"]);
    expect(readingOf(next)).toMatch(/The thread Second is resolved, and the reply was added to it\. \w/);
    await prefer({ afterResolving: "stay" });
    const stays = await browser.send(await open(`?open=${first}`), `${inbox}/${first}/messages`, words);
    expect(openedIn(await browser.follow(stays))).toBe(first);
    expect((await open("?replied=nothing")).status).toBe(200);
  });

  it("keeps the text of a refused reply beside the list", async () => {
    const id = await send("First");
    const page = await open(`?open=${id}`);
    const words = { direction: "outbound", replyBody: "x".repeat(10_001) };
    const refused = await browser.send(page, `${inbox}/${id}/messages`, words);
    expect([refused.status, openedIn(refused), subjectsIn(refused)]).toEqual([400, id, ["First"]]);
    expect(refused.text).toContain(words.replyBody);
  });

  it("saves the filters of a list as a view, and changes and deletes the view", async () => {
    await send("Broken", { type: "bug" });
    await send("How?", { type: "question" });
    const list = await open("?status=open&type=bug");
    const views = `/console/views/${team.app.id}`;
    const saved = await browser.send(list, views, { viewName: "Bugs" });
    const page = await browser.follow(saved);
    const [, id = ""] = /saved=([^&"]*)/.exec(saved.headers.get("location") ?? "") ?? [];
    expect(subjectsIn(page)).toEqual(["Broken"]);
    expect(readingOf(page)).toContain("Saved views Bugs 1");
    const renamed = await browser.send(page, `${views}/${id}/change`, {
      viewName: "Faults",
      viewShared: "on",
    });
    const shared = await browser.follow(renamed);
    expect(readingOf(shared)).toContain("Saved views of the team Faults 1");
    expect(shared.text).not.toMatch(/class="unseen">[^<]*shared/);
    const refused = await browser.send(page, `${views}/${id}/change`, { viewName: "", once: "x" });
    expect(refused.text).toContain("field-viewName-fault");
    const viewer = await team.join("viewer");
    const theirs = await createBrowserWithoutScripts(service, viewer.headers).open(
      `${inbox}?status=open&type=bug&saved=${id}`,
    );
    expect(theirs.text).not.toContain(`${views}/${id}/change`);
    const removed = await browser.follow(await browser.send(page, `${views}/${id}/remove`));
    expect(readingOf(removed)).not.toContain("Saved views");
  });

  it("says which filters of a saved view it does not know, and shows the list of the others", async () => {
    await send("Broken", { type: "bug" });
    await send("How?", { type: "question" });
    const query = { type: "bug" };
    const view = await maria.call("POST", `/apps/${team.app.id}/views`, { name: "Bugs", query });
    const stored = JSON.stringify({ ...query, status: "on_hold" });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE saved_views SET query = ? WHERE id = ?", stored, view.field("id")),
    );
    const [, link = ""] = /href="([^"]*saved=[^"]*)"/.exec((await open()).text) ?? [];
    const page = await browser.open(link.replaceAll("&amp;", "&"));
    expect(subjectsIn(page)).toEqual(["Broken"]);
    expect(readingOf(page)).toContain("Bugs (not all filters are known) 1");
    expect(readingOf(page)).toMatch(
      /does not support these filters of the view, or their values: status ?\./,
    );
  });

  it("shows no checkboxes and no actions to a viewer", async () => {
    const id = await send("First");
    const viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
    const page = await viewer.open(`${inbox}?open=${id}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/type="checkbox" name="id"|\/change"|\/undo"|name="act"/);
    expect(page.text).toContain("Mark as unread");
  });

  it("shows no text of the address of an action, only its own texts", async () => {
    await send("First");
    const page = await open("?did=%3Cb%3E&changed=4&undo=x");
    expect(page.text).not.toContain("<b>&");
    expect(readingOf(await open("?did=resolve&changed=many"))).not.toContain("resolved.");
  });
});
