import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { sealed } from "../../../server/secrets/store.ts";
import { limits, rateLimits } from "../../../src/contract/limits.ts";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { saveDraft } from "../../support/browser/save-draft.ts";
import { type Service, startService } from "../../support/service/service.ts";

const day = 86_400_000;
const form = "/console/faqs/a/new";
const writer = "writer0001";

describe("unsent texts that the server keeps", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  let user: { readonly id: string };
  let headers: Record<string, string>;
  beforeEach(async () => {
    user = await service.makeUser();
    headers = await service.signIn(user);
  });

  type Texts = Readonly<Record<string, string>>;
  const save = (texts: Texts, more: Texts = {}, sent: Readonly<Record<string, string>> = headers) =>
    saveDraft(service, sent, { page: form, texts, more });
  const kept = async (sent: object = headers): Promise<string[]> => {
    const path = `/console/drafts/of-page?${new URLSearchParams({ page: form, form })}`;
    const answer = await service.request("GET", path, { headers: { ...sent } });
    return [...answer.text.matchAll(/"text":"([^"]*)"/g)].map(([, text = ""]) => text);
  };
  const rows = () => service.deps.database.all<{ content: string }>("SELECT content FROM drafts");

  it("are returned only to their person, and are encrypted in the database", async () => {
    await save({ question: "How?", answer: "Like this." });
    expect((await kept()).sort()).toEqual(["How?", "Like this."]);
    expect(await kept(await service.signIn(await service.makeUser()))).toEqual([]);
    expect(JSON.stringify(await rows())).not.toContain("Like this.");
    const page = await createBrowserWithoutScripts(service, headers).open("/console/drafts");
    expect(readingOf(page)).toContain("Like this.");
  });

  it("name the thread to which they belong, as long as the person may see it", async () => {
    const app = await service.makeApp(user);
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": app.key },
      body: { type: "bug", subject: "Sync stops", message: "It stops." },
    });
    const id = sent.field("id");
    const thread = `/console/feedback/${app.id}/${id}`;
    await save({ replyBody: "We look." }, { page: thread, "draft-form": `${thread}/reply` });
    const browser = createBrowserWithoutScripts(service, headers);
    const page = await browser.open("/console/drafts");
    expect(readingOf(page)).toContain("#1 Sync stops");
    expect(page.text).toContain(`href="${thread}"`);
    await service.deps.database.write((tx) => tx.run("DELETE FROM app_members WHERE app_id = ?", app.id));
    const later = readingOf(await browser.open("/console/drafts"));
    expect(later).toContain("A thread that you can no longer open");
    expect(later).not.toContain("Sync stops");
  });

  it.each([
    ["faqs", "new", "New FAQ entry of Larder"],
    ["changelog", "new", "New release note of Larder"],
    ["saved-replies", "", "Saved reply of Larder"],
    ["members", "invite", "Members of Larder"],
    ["apps", "change", "Settings and keys of Larder"],
  ])("name the form to which they belong if it has no object: %s/%s", async (noun, part, name) => {
    const app = await service.makeApp(user, { name: "Larder" });
    const at = `/console/${noun}/${app.id}${part && `/${part}`}`;
    await save({ name: "A text." }, { page: at, "draft-form": at });
    const page = await createBrowserWithoutScripts(service, headers).open("/console/drafts");
    expect(page.text).toContain(`href="${at}"`);
    expect(readingOf(page)).toContain(name);
  });

  it("name the form of the account", async () => {
    await save({ label: "A text." }, { page: "/console/tokens", "draft-form": "/console/tokens" });
    const page = await createBrowserWithoutScripts(service, headers).open("/console/drafts");
    expect(readingOf(page)).toContain("Label Token typed");
  });

  describe("of a thread", () => {
    /** A thread with an unsent text in its reply, another thread of the app, and functions for them. */
    async function withReply() {
      const app = await service.makeApp(user);
      const send = async (subject: string, email: string) =>
        (
          await service.request("POST", "/api/v1/feedback/remote", {
            headers: { "x-api-key": app.key },
            body: { type: "bug", subject, message: "It stops.", email },
          })
        ).field("id");
      const [id, into] = [
        await send("Ms Hopper has no sync", "grace@example.org"),
        await send("Sync stops", "joan@example.org"),
      ];
      const at = (one: string) => `/console/feedback/${app.id}/${one}`;
      await save({ replyBody: "We look." }, { page: at(id), "draft-form": `${at(id)}/reply` });
      const call = async (method: string, path: string, body?: object) => {
        const { status } = await service.request(method, `/api/v1/console${path}`, { headers, body });
        expect(status).toBeLessThan(300);
      };
      const browser = createBrowserWithoutScripts(service, headers);
      const page = () => browser.open("/console/drafts");
      /** Erases what a person sent, and waits until the subject of this person is on no page. */
      const erase = async (email: string, subject: string) => {
        await call("POST", "/people/erase", { email });
        await expect.poll(async () => (await page()).text).not.toContain(subject);
      };
      return { app, id, into, at, call, page, erase };
    }

    it("come back with the receiver that was chosen for them, who is named on the page of unsent texts", async () => {
      const { app, id, into, at, call, page } = await withReply();
      const keep = async (choice: string) => {
        const more = { page: at(into), "draft-form": at(into), "choice-replyBody": choice };
        await save({ replyBody: "We look.", noteBody: "Ours." }, { ...more, "choice-noteBody": choice });
        const query = new URLSearchParams({ page: "", form: at(into) });
        const kept = await service.request("GET", `/console/drafts/of-page?${query}`, { headers });
        expect(kept.body).toMatchObject({
          items: expect.arrayContaining([
            expect.objectContaining({ field: "replyBody", choice }),
            expect.objectContaining({ field: "noteBody", choice: null }),
          ]),
        });
        return readingOf(await page());
      };
      await call("POST", `/feedback/${id}/merge`, { into });
      expect(await keep(id)).toContain("to grace@example.org");
      expect(await keep("")).toContain("to joan@example.org");
      expect(await keep("everyone")).toContain("to everyone who reported it");
      expect(await keep("unchosen")).not.toContain("joan@");
      expect(await keep(crypto.randomUUID())).toContain("to a sender whose report is no longer there");
      await keep(id);
      await service.deps.database.write((tx) => tx.run("DELETE FROM app_members WHERE app_id = ?", app.id));
      expect((await page()).text).not.toContain("grace@example.org");
    });

    it("that was merged have a link to the thread into which it was merged", async () => {
      const { id, into, at, call, page } = await withReply();
      await call("POST", `/feedback/${id}/merge`, { into });
      const merged = await page();
      expect(readingOf(merged)).toContain("#1, merged into #2 Sync stops");
      expect(merged.text).toContain(`href="${at(into)}"`);
      expect(merged.text).not.toContain("Hopper");
      await call("POST", `/feedback/${id}/unmerge`);
      expect(readingOf(await page())).toContain("#1 Ms Hopper has no sync");
    });

    it("do not show the subject of a report that was erased", async () => {
      const { page, erase } = await withReply();
      await erase("grace@example.org", "Hopper");
      expect(readingOf(await page())).toContain("A thread that you can no longer open");
    });

    it("do not show the erased subject of a thread that has reports of other people", async () => {
      const { id, into, call, page, erase } = await withReply();
      await call("POST", `/feedback/${into}/merge`, { into: id });
      await erase("grace@example.org", "Hopper");
      expect(readingOf(await page())).toContain("#1 ");
    });

    it("do not show the erased subject of the thread into which a thread was merged", async () => {
      const { id, into, call, page, erase } = await withReply();
      await call("POST", `/feedback/${id}/merge`, { into });
      await erase("joan@example.org", "Sync stops");
      expect(readingOf(await page())).toContain("#1, merged into #2");
      await erase("grace@example.org", "Sync stops");
      expect((await page()).text).not.toContain("Hopper");
    });
  });

  it.each([
    ["feedback", "A thread"],
    ["faqs", "An FAQ entry"],
    ["changelog", "A release note"],
    ["cycles", "A test"],
    ["testing", "A listing"],
  ])("say of an object below %s that it is gone only that it was %s", async (noun, name) => {
    const id = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
    await save({ title: "Typed" }, { "draft-form": `/console/${noun}/${id}/${id}` });
    const page = await createBrowserWithoutScripts(service, headers).open("/console/drafts");
    expect(readingOf(page)).toContain(`${name} that you can no longer open`);
  });

  it("are refused without a session and from another site", async () => {
    expect((await save({ question: "How?" }, {}, {})).status).toBe(401);
    expect(
      (await save({ question: "How?" }, {}, { ...headers, origin: "https://evil.example" })).status,
    ).toBe(403);
    expect((await save({ question: "How?" }, { "draft-form": "https://evil.example" })).status).toBe(400);
    expect(await kept()).toEqual([]);
  });

  it("replace the text of the same page, and are separate from texts of other pages until the person chooses one", async () => {
    await save({ question: "One", answer: "A" });
    await save({ question: "Two" });
    expect(await kept()).toEqual(["Two"]);
    await save({ question: "Three" }, { "draft-writer": "writer0002" });
    expect((await kept()).sort()).toEqual(["Three", "Two"]);
    await save({ question: "Three" }, { "draft-writer": "writer0003", replaces: "writer0002" });
    expect((await kept()).sort()).toEqual(["Three", "Two"]);
    await save({});
    expect(await kept()).toEqual(["Three"]);
    const again = Array.from({ length: 8 }, () =>
      save({ question: "Four" }, { field: "answer", text: "Once" }),
    );
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual(again.map(() => 200));
    expect((await kept()).sort()).toEqual(["Four", "Once", "Three"]);
  });

  it("do not come back with a late save of a page whose text another page has taken over", async () => {
    await save({ question: "Half" });
    await save({ question: "Half and rest" }, { "draft-writer": "writer0002", replaces: writer });
    const late = await save({ question: "Half" });
    expect([late.status, late.body]).toEqual([200, { kept: [], ended: true, taken: true }]);
    expect((await save({ question: "Half, and what came later" })).body).toEqual({ kept: [], ended: true });
    expect(await kept()).toEqual(["Half and rest"]);
    const browser = createBrowserWithoutScripts(service, headers);
    expect((await browser.open("/console/drafts")).text.split("<textarea")).toHaveLength(2);
    await save({}, { "draft-writer": "writer0002", replaces: "writer0002" });
    expect(await kept()).toEqual([]);
  });

  it("of other forms and of other persons stay when a page takes over the text of a writer", async () => {
    await save({ question: "Here" }, { "draft-form": "/console/faqs/b/new" });
    await save({ question: "Two" }, { "draft-writer": "writer0002", replaces: writer });
    expect((await kept()).sort()).toEqual(["Here", "Two"]);
    const other = await service.signIn(await service.makeUser());
    expect((await save({ question: "Other" }, {}, other)).body).toEqual({ kept: ["question"], ended: false });
  });

  it("of pages that were taken over are deleted when the form is sent, and a late save of them stores nothing", async () => {
    const app = await service.makeApp(user);
    const path = `/console/faqs/${app.id}/new`;
    const browser = createBrowserWithoutScripts(service, headers);
    const at = (writerOf: string) => ({ "draft-form": path, "draft-writer": writerOf });
    await save({ question: "Half", answer: "Half" }, at("writer0001"));
    await save({ question: "Another device" }, at("writer0002"));
    const page = await browser.open(path);
    await browser.send(page, path, {
      ...at("writer0003"),
      "draft-replaces": "writer0001",
      ...{ question: "Whole", answer: "Whole" },
    });
    await save({ question: "Half" }, at("writer0001"));
    const left = readingOf(await browser.open("/console/drafts"));
    expect(left).toContain("Another device");
    expect(left).not.toContain("Half");
  });

  it("are kept only for known fields, and up to the maximum length of the field", async () => {
    const long = "é".repeat(limits.question);
    const answer = await save({
      question: long,
      password: "no",
      code: "no",
      chatWebhookUrl: "no",
      once: "no",
    });
    expect(answer.body).toEqual({ kept: ["question"], ended: false });
    expect(await kept()).toEqual([long]);
    await save({ question: `${long}é` });
    expect(await kept()).toEqual([]);
  });

  it("are at most 200 for each person, and the oldest are deleted", async () => {
    const items = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`items.${at}.text`, `Change ${at}`]),
    );
    await save({ question: "The oldest" });
    service.clock.advance(1_000);
    await save(items, { "draft-writer": "writer0002" });
    expect(await kept()).toHaveLength(200);
    expect(await kept()).not.toContain("The oldest");
  });

  it("are deleted after 30 days without a change, with the account, and if the secret of the server is lost", async () => {
    await save({ question: "Old" });
    service.clock.pass(29 * day);
    await tidy(service.deps);
    headers = await service.signIn(user);
    expect(await kept()).toEqual(["Old"]);
    service.clock.pass(2 * day);
    await tidy(service.deps);
    headers = await service.signIn(user);
    expect(await kept()).toEqual([]);
    await save({ question: "New" });
    await service.deps.database.write((tx) => tx.run("DELETE FROM users WHERE id = ?", user.id));
    expect(await rows()).toEqual([]);
    user = await service.makeUser();
    headers = await service.signIn(user);
    await save({ question: "New" });
    await service.deps.database.write((tx) => sealed.forgetAll(tx));
    expect(await rows()).toEqual([]);
  });

  it("can be discarded without scripts", async () => {
    const browser = createBrowserWithoutScripts(service, headers);
    await save({ question: "How?" });
    const page = await browser.open("/console/drafts");
    const after = await browser.follow(await browser.send(page, "/console/drafts/discard"));
    expect(readingOf(after)).toContain("No unsent text");
  });

  it("are deleted after their form succeeded, not after a refusal, and the answer informs the script", async () => {
    const app = await service.makeApp(user);
    const path = `/console/faqs/${app.id}/new`;
    const browser = createBrowserWithoutScripts(service, headers);
    const page = await browser.open(path);
    const { once = "" } = fieldsOf(formOf(page, path));
    const marks = { "draft-form": path, "draft-writer": writer };
    await save({ question: "How?", sortOrder: "older" }, marks);
    await save({ question: "How?", answer: "Other." }, { ...marks, "draft-writer": "writer0002" });
    const texts = async () => {
      const query = new URLSearchParams({ page: path, form: path });
      const { text } = await service.request("GET", `/console/drafts/of-page?${query}`, { headers });
      return [...text.matchAll(/"text":"([^"]*)"/g)].map(([, each]) => each).sort();
    };
    const refused = await browser.send(page, path, { ...marks, question: "How?", answer: "" });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([400, null]);
    expect(await texts()).toHaveLength(4);
    const done = await browser.send(page, path, { ...marks, question: "How?", answer: "So." });
    expect(done.headers.get("set-cookie")).toMatch(
      new RegExp(`^innkeep-done-${once}=all; Path=/; Max-Age=120; SameSite=Strict$`),
    );
    expect(await texts()).toEqual(["Other."]);
  });
});

it("an account can save unsent texts only a limited number of times", async () => {
  expect(rateLimits.drafts).toEqual({ limit: 120, windowSeconds: 60 });
  const service = await startService({ environment: { INNKEEP_RATE_LIMITS: "drafts=3/3600" } });
  onTestFinished(() => service.stop());
  const user = await service.makeUser();
  const [here, elsewhere] = [await service.signIn(user), await service.signIn(user)];
  const other = await service.signIn(await service.makeUser());
  const save = (headers: Record<string, string>, question: string) =>
    saveDraft(service, headers, { page: form, texts: { question } });
  const saved = () => service.deps.database.all("SELECT id, updated_at FROM drafts");
  for (const text of ["One", "Two", "Three"]) expect((await save(here, text)).status).toBe(200);
  const before = await saved();
  const refused = await save(elsewhere, "Four");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(await saved()).toEqual(before);
  expect((await save(other, "One")).status).toBe(200);
  service.clock.advance(3_600_000);
  expect((await save(here, "Four")).status).toBe(200);
});
