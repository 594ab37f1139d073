import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the inbox over all apps of a person on $name", (engine) => {
  let service: Service;
  let first: Team;
  let second: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    first = await makeTeam(service);
    second = await service.makeApp(first.owner, { name: "Cellar" });
  });
  afterAll(() => service.stop());

  const send = async (key: string, subject: string, more: object = {}) => {
    service.clock.advance(1_000);
    return sendFeedback(service, key, { subject, ...more });
  };
  const list = async (query: Record<string, string> = {}, call: Team["call"] = first.call) =>
    Object((await call("GET", `/feedback?${new URLSearchParams(query)}`)).body);
  const subjects = ({ items }: { items: { subject: string }[] }) => items.map(({ subject }) => subject);

  it("contains the threads of all apps in one order, page by page, and counts each thread once", async () => {
    const stranger = await service.makeApp(await service.makeUser());
    await send(stranger.key, "Foreign");
    const ids = [];
    for (const [key, subject] of [
      [first.app.key, "One"],
      [second.key, "Two"],
      [second.key, "Three"],
      [first.app.key, "Four"],
    ] as const)
      ids.push(await send(key, subject));
    expect(subjects(await list())).toEqual(["Four", "Three", "Two", "One"]);
    expect(await list()).toMatchObject({ count: 4, nextCursor: null });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list({ limit: "1", ...(cursor === "" ? {} : { cursor }) });
      seen.push(...subjects(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(["Four", "Three", "Two", "One"]);
    service.clock.advance(1_000);
    await first.call("PATCH", `/feedback/${ids[0]}`, { assignee: "me" });
    await first.call("POST", `/feedback/${ids[0]}/messages`, { direction: "note", body: "Seen." });
    expect(subjects(await list({ order: "activity" }))).toEqual(["One", "Four", "Three", "Two"]);
    expect(subjects(await list({ order: "oldest_activity" }))).toEqual(["Two", "Three", "Four", "One"]);
    const half = await list({ order: "oldest_activity", limit: "2" });
    const rest = await list({ order: "oldest_activity", limit: "2", cursor: half.nextCursor });
    expect([...subjects(half), ...subjects(rest)]).toEqual(["Two", "Three", "Four", "One"]);
    expect(subjects(await list({ assignee: "me" }))).toEqual(["One"]);
    await first.call("PATCH", `/feedback/${ids[1]}`, { status: "resolved" });
    expect(subjects(await list({ status: "resolved" }))).toEqual(["Two"]);
  });

  it("contains only the apps that the token or the member may see", async () => {
    const viewer = await first.join("viewer");
    expect(new Set((await list({}, viewer.call)).items.map(({ appId }: { appId: string }) => appId))).toEqual(
      new Set([first.app.id]),
    );
    const token = await service.makeToken(first.owner, "maintainer", {
      scopes: ["feedback:read"],
      appId: second.id,
    });
    const { body } = await service.request("GET", "/api/v1/console/feedback", { headers: bearer(token) });
    expect(new Set(Object(body).items.map(({ appName }: { appName: string }) => appName))).toEqual(
      new Set(["Cellar"]),
    );
  });

  it("is a page from which a thread opens in the inbox of its app", async () => {
    const id = await send(second.key, "Cold cellar");
    const browser = createBrowserWithoutScripts(service, await service.signIn(first.owner));
    const page = await browser.open("/console/feedback");
    expect(readingOf(page)).toMatch(/Cold cellar .*Cellar · Anonymous/);
    const href = new RegExp(`href="([^"]*)" id="thread-${id}"`).exec(page.text)?.[1] ?? "";
    expect((await browser.open(href.replaceAll("&amp;", "&"))).text).toContain(`data-opened="${id}"`);
    expect(readingOf(await browser.open("/console/feedback?view=snoozed"))).toContain("Nothing here");
  });

  it("can be sorted on its page, which keeps the view and the order", async () => {
    const own = await service.makeUser();
    const [one, other] = [await service.makeApp(own), await service.makeApp(own)];
    for (let at = 0; at < limits.listPage.default; at++)
      await send(at % 2 === 0 ? one.key : other.key, `No ${at}`);
    await send(one.key, "Last");
    const browser = createBrowserWithoutScripts(service, await service.signIn(own));
    const subjectsIn = ({ text }: { text: string }) =>
      [...text.matchAll(/id="thread-[^>]*>(?:<span class="unseen">[^<]*<\/span>)?<bdi>([^<]*)/g)].map(
        ([, subject]) => subject,
      );
    const page = await browser.open("/console/feedback?view=waiting_on_us");
    expect(subjectsIn(page)[0]).toBe("Last");
    const form = /<form[^>]*method="get" action="\/console\/feedback".*?<\/form>/s.exec(page.text)?.[0] ?? "";
    const chosen = new URLSearchParams({ ...fieldsOf(form), order: "oldest_activity" });
    const sorted = await browser.open(`/console/feedback?${chosen}`);
    expect(subjectsIn(sorted).slice(0, 2)).toEqual(["No 0", "No 1"]);
    expect(sorted.text).toContain('<option value="oldest_activity" selected');
    const next = /href="([^"]*)"[^>]*rel="next"/.exec(sorted.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(next).toContain("waitingOn=us");
    expect(subjectsIn(await browser.open(next))).toEqual(["Last"]);
  });

  it("has a field for the search in all apps, and leads to that search", async () => {
    const browser = createBrowserWithoutScripts(service, await service.signIn(first.owner));
    const page = await browser.open("/console/feedback");
    expect(page.text).toMatch(
      /<form class="search" method="get" action="\/console\/search">.*Search all your apps.*name="q"/,
    );
    const answer = await browser.open("/console/feedback?q=cold+cellar");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console/search?q=cold+cellar"]);
  });

  it("undoes a change of as many apps as a page has threads (rule F49)", async () => {
    const own = await service.makeUser();
    const boxes: [string, string][] = [];
    for (let at = 0; at < limits.listPage.default; at++) {
      const { id, key } = await service.makeApp(own, { name: `App ${at}` });
      boxes.push(["id", `${id}.${await send(key, `Report ${at}`)}`]);
    }
    const headers = await service.signIn(own);
    const browser = createBrowserWithoutScripts(service, headers);
    const page = await browser.open("/console/feedback");
    const once = fieldsOf(formOf(page, "/console/all-feedback/change")).once ?? "";
    const answer = await service.request("POST", "/console/all-feedback/change", {
      headers: {
        ...{ accept: "text/html", ...headers },
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams([
        ["once", once],
        ["act", "resolve"],
        ["list", "view=all"],
        ...boxes,
      ]).toString(),
    });
    const done = await browser.open(answer.headers.get("location") ?? "");
    expect(readingOf(done)).toContain("50 threads resolved. Undo");
    const undone = await browser.follow(await browser.send(done, "/console/all-feedback/undo"));
    expect(readingOf(undone)).toContain("50 threads changed back.");
    expect(readingOf(await browser.open("/console/feedback?view=resolved"))).toContain("Nothing here");
  });

  it.each([
    ["more fields than a form can have", 413, 50_001],
    ["more threads than a change can name", 400, limits.bulkIds + 1],
  ])("refuses %s", async (_, status, count) => {
    const headers = await service.signIn(first.owner);
    const ids = Array.from({ length: count }, (_, at): [string, string] => ["id", `${first.app.id}.${at}`]);
    const answer = await service.request("POST", "/console/all-feedback/change", {
      headers: { ...headers, accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams([["act", "resolve"], ["list", "view=all"], ...ids]).toString(),
    });
    expect(answer.status).toBe(status);
  });

  it("changes selected threads of several apps, and undoes that, but nothing in an app of a viewer (rules F48, F49)", async () => {
    const [here, there] = [await send(first.app.key, "Here"), await send(second.key, "There")];
    const headers = await service.signIn(first.owner);
    const browser = createBrowserWithoutScripts(service, headers);
    const page = await browser.open("/console/feedback");
    expect(page.text).toContain(`value="${first.app.id}.${here}"`);
    const post = async (path: string, values: readonly (readonly [string, string])[]) => {
      const answer = await service.request("POST", `/console/all-feedback/${path}`, {
        headers: {
          ...{ accept: "text/html", ...headers },
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams(values.map(([name, value]) => [name, value])).toString(),
      });
      return answer.status === 303 ? browser.open(answer.headers.get("location") ?? "") : answer;
    };
    const ids = [`${first.app.id}.${here}`, `${second.id}.${there}`];
    const boxes = ids.map((id) => ["id", id] as const);
    const statuses = async () =>
      Promise.all(
        [here, there].map(
          async (id) => Object((await first.call("GET", `/feedback/${id}`)).body).feedback.status,
        ),
      );
    const once = fieldsOf(formOf(page, "/console/all-feedback/change")).once ?? "";
    const done = await post("change", [
      ["once", once],
      ["act", "resolve"],
      ["list", "view=to_triage"],
      ...boxes,
    ]);
    expect(readingOf(done)).toContain("2 threads resolved.");
    expect(await statuses()).toEqual(["resolved", "resolved"]);
    const undone = await browser.follow(await browser.send(done, "/console/all-feedback/undo"));
    expect(await statuses()).toEqual(["open", "open"]);
    expect(readingOf(undone)).toContain("2 threads changed back.");
    const snoozed = await post("change", [["act", "snooze:24"], ["list", ""], ...boxes]);
    expect(readingOf(snoozed)).toMatch(/2 threads snoozed until \d+ \w+ \d{4}, \d\d:\d\d UTC \. Undo/);
    const refused = await post("change", [["act", "tag"], ["list", ""], ...boxes]);
    expect([refused.status, readingOf(refused)]).toEqual([
      400,
      expect.stringContaining("Nothing was changed."),
    ]);

    // Without scripts, the Enter key uses the first button of the form.
    const form = formOf(page, "/console/all-feedback/change");
    expect(/<button[^>]*name="act"[^>]*value="([^"]*)"/.exec(form)?.[1]).toBe("snooze:day");
    const entered = await post("change", [["act", "snooze:day"], ["list", ""], ...boxes]);
    expect(readingOf(entered)).toContain("Choose the day on which the thread comes back.");
    expect(await statuses()).toEqual(["open", "open"]);

    const viewer = await first.join("viewer");
    const list = await createBrowserWithoutScripts(service, viewer.headers).open("/console/feedback");
    expect(list.text).not.toContain('type="checkbox"');
    const stranger = await service.request("POST", "/console/all-feedback/change", {
      headers: {
        ...{ accept: "text/html", ...viewer.headers },
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams([
        ["act", "resolve"],
        ["list", ""],
        ...boxes.map(([name, value]) => [name, value]),
      ]).toString(),
    });
    expect(stranger.headers.get("location")).toContain("changed=0");
    expect(await statuses()).toEqual(["open", "open"]);
  });

  describe("if the database is not available for a moment", () => {
    const locked = () =>
      Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });
    async function resolveBoth(failsAfter: "first" | undefined) {
      const [here, there] = [await send(first.app.key, "Here"), await send(second.key, "There")];
      const headers = { accept: "text/html", ...(await service.signIn(first.owner)) };
      const { database } = service.deps;
      const write = database.write.bind(database);
      const status = async () =>
        (await database.get<{ status: string }>("SELECT status FROM feedback WHERE id = ?", here))?.status;
      const spy = vi.spyOn(database, "write").mockImplementation(async (...given) => {
        if (failsAfter === undefined || (await status()) === "resolved") throw locked();
        return write(...given);
      });
      const boxes = [`${first.app.id}.${here}`, `${second.id}.${there}`].map((id) => ["id", id]);
      const answer = await service.request("POST", "/console/all-feedback/change", {
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams([["act", "resolve"], ["list", ""], ...boxes]).toString(),
      });
      spy.mockRestore();
      return answer;
    }

    it("says how many threads were changed before that, and logs the reason", async () => {
      const answer = await resolveBoth("first");
      expect(answer.headers.get("location")).toMatch(/changed=1&undo=[^&]+&skipped=1$/);
      expect(service.logged()).toContain("database is locked");
    });

    it("shows the list again with the reason and what to do, if nothing was changed", async () => {
      const answer = await resolveBoth(undefined);
      expect(answer.status).toBe(503);
      expect(readingOf(answer)).toContain("Nothing was changed. The service cannot do this right now.");
      expect(readingOf(answer)).toContain("Send the request again soon.");
      expect(readingOf(answer)).toContain("Inbox of all apps");
    });
  });
});
