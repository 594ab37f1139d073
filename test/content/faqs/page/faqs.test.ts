import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mostOnPage } from "../../../../server/content/faqs/page/list.tsx";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { png } from "../../../support/files/sample-files.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the pages of the FAQ in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let app: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });

  const address = (part = "") => `/console/faqs/${app.id}${part}`;
  const listed = async () => {
    const { text } = await service.request("GET", "/api/v1/faqs/remote", {
      headers: { "x-api-key": app.key },
    });
    return [...text.matchAll(/"question":"([^"]*)"/g)].map(([, question]) => question);
  };
  const write = async (question: string, sortOrder?: number) =>
    (await world.call("POST", `/apps/${app.id}/faqs`, { question, answer: "Because.", sortOrder })).field(
      "id",
    );
  const move = async (id: string, direction: string, page = owner.open(address())) =>
    owner.send(await page, address("/order"), { move: `${id} ${direction}` });

  it("cut a long question and answer between characters", async () => {
    const body = { question: `${"a".repeat(79)}🧭${"b".repeat(20)}`, answer: `${"a".repeat(599)}🧭` };
    await world.call("POST", `/apps/${app.id}/faqs`, body);
    await write("Why?");
    expect((await owner.open(address())).text).not.toContain("\ufffd");
  });

  it("store a new entry, which the app reads immediately", async () => {
    const form = await owner.open(address("/new"));
    const answer = await owner.send(form, address("/new"), { question: "How?", answer: "Like this.\r\nSo." });
    expect(answer.headers.get("location")).toBe(address("?done=faq-created"));
    expect(await listed()).toEqual(["How?"]);
    expect(readingOf(await owner.follow(answer))).toContain("How? Like this. So.");
  });

  it("find entries by words of their texts, in each form of their letters", async () => {
    await write("Wo finde ich die Übersicht?");
    await write("How?");
    for (const typed of ["übersicht", "ÜBERSICHT wo"])
      for (const form of ["NFC", "NFD"]) {
        const q = encodeURIComponent(typed.normalize(form));
        const page = readingOf(await owner.open(address(`?q=${q}`)));
        expect([typed, form, page]).toEqual([typed, form, expect.stringContaining("1 of 2 entries")]);
      }
    expect(readingOf(await owner.open(address("?q=how+nowhere")))).toContain("0 of 2 entries");
  });

  it("keep the typed text after a fault, and show each fault at its field", async () => {
    const form = await owner.open(address("/new"));
    const values = { question: " ", answer: "Kept <b>as typed</b>", sortOrder: "soon" };
    const answer = await owner.send(form, address("/new"), values);
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toMatch(/Question must not be empty\. .* Sort number must be/);
    expect(answer.text).toContain("Kept &lt;b>as typed&lt;/b>");
    expect(await listed()).toEqual([]);
  });

  it("store a change of an entry", async () => {
    const id = await write("How?");
    const page = await owner.open(address(`/${id}`));
    const answer = await owner.send(page, address(`/${id}`), { question: "How exactly?" });
    expect(answer.headers.get("location")).toBe(address("?done=changed"));
    expect(await listed()).toEqual(["How exactly?"]);
  });

  it("keep the line ends of an answer that is not edited", async () => {
    const entry = { question: "How?", answer: "One.\r\nTwo." };
    const id = (await world.call("POST", `/apps/${app.id}/faqs`, entry)).field("id");
    await owner.send(await owner.open(address(`/${id}`)), address(`/${id}`), { question: "How exactly?" });
    const { body } = await world.call("GET", `/apps/${app.id}/faqs`);
    expect(body).toMatchObject([{ question: "How exactly?", answer: "One.\r\nTwo." }]);
  });

  it("do not overwrite a change of a script in the meantime", async () => {
    const id = await write("How?");
    const page = await owner.open(address(`/${id}`));
    await world.call("PATCH", `/faqs/${id}`, { question: "Theirs?" });
    const answer = await owner.send(page, address(`/${id}`), { question: "Mine?" });
    expect(readingOf(answer)).toContain("Question was changed by somebody else");
    expect(await listed()).toEqual(["Theirs?"]);
  });

  it("show the preview of a typed answer beside it, and save nothing", async () => {
    const typed = { intent: "preview", question: "How?", answer: "So: **bold** <b>x</b>" };
    const answer = await owner.send(await owner.open(address("/new")), address("/new"), typed);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("<p>So: <strong>bold</strong> &lt;b&gt;x&lt;/b&gt;</p>");
    expect(fieldsOf(formOf(answer, address("/new")))).toMatchObject({ answer: typed.answer });
    expect(await listed()).toEqual([]);
  });

  it("notice another person's change also after a preview", async () => {
    const id = await write("How?");
    const page = await owner.open(address(`/${id}`));
    await world.call("PATCH", `/faqs/${id}`, { question: "Theirs?" });
    const typed = { intent: "preview", question: "Mine?" };
    const preview = await owner.send(page, address(`/${id}`), typed);
    const answer = await owner.send(preview, address(`/${id}`));
    expect(readingOf(answer)).toContain("Question was changed by somebody else");
  });

  it("notice another person's change also after a picture was refused", async () => {
    const id = await write("How?");
    const page = await owner.open(address(`/${id}`));
    await world.call("PATCH", `/faqs/${id}`, { question: "Theirs?" });
    const form = new FormData();
    const typed = { ...fieldsOf(formOf(page, address(`/${id}`))), question: "Mine?" };
    for (const [name, value] of Object.entries(typed)) form.set(name, value);
    form.set("pictures", new Blob(["hello"], { type: "image/png" }), "none.png");
    const refused = await service.request("POST", address(`/${id}/pictures`), {
      headers: { ...world.headers, accept: "text/html", origin: service.baseUrl },
      body: form,
    });
    expect(refused.status).toBe(400);
    const answer = await owner.send(refused, address(`/${id}`), { intent: "save" });
    expect(readingOf(answer)).toContain("Question was changed by somebody else");
    expect(await listed()).toEqual(["Theirs?"]);
  });

  it("keep a new entry as a draft, and publish it", async () => {
    const typed = { intent: "draft", question: "How?", answer: "So." };
    const answer = await owner.send(await owner.open(address("/new")), address("/new"), typed);
    expect(await listed()).toEqual([]);
    const page = await owner.follow(answer);
    expect(readingOf(await owner.open(address()))).toContain("1 draft How? Draft");
    const [, id = ""] = /\/([\da-f-]{36})\?/.exec(answer.headers.get("location") ?? "") ?? [];
    await owner.send(page, address(`/${id}`), { intent: "publish", answer: "So, then." });
    expect(await listed()).toEqual(["How?"]);
  });

  it("create an entry from a thread as a draft without the data of the sender (rule C33)", async () => {
    const report = { message: "How do I export?", email: "mara@kitchen.example", name: "Mara" };
    const thread = await sendFeedback(service, app.key, report);
    const reply = { direction: "outbound", body: "Hi Mara,\nopen **Settings**." };
    await world.call("POST", `/feedback/${thread}/messages`, reply);
    const link = address(`/new?thread=${thread}`);
    expect((await owner.open(`/console/feedback/${app.id}/${thread}`)).text).toContain(`href="${link}"`);
    const page = await owner.open(link);
    expect(readingOf(page)).toContain("the subject of the thread and the newest reply of your team");
    const fields = fieldsOf(formOf(page, address("/new")));
    expect(fields).toMatchObject({ question: "How do I export?", answer: "Open **Settings**." });
    expect(Object.values(fields).join(" ")).not.toContain("Mara");
    await owner.send(page, address("/new"), { intent: "draft" });
    expect(await listed()).toEqual([]);
    const other = await service.makeApp(world.owner);
    expect((await owner.open(`/console/faqs/${other.id}/new?thread=${thread}`)).status).toBe(404);
  });

  it("say that a thread without a reply has no answer yet, also after a refusal", async () => {
    const thread = await sendFeedback(service, app.key, { message: "How do I export?" });
    const page = await owner.open(address(`/new?thread=${thread}`));
    const typed = { answer: "x".repeat(100_000), intent: "draft" };
    for (const shown of [page, await owner.send(page, address("/new"), typed)]) {
      expect(readingOf(shown)).toContain("The thread has no reply of your team, so write the answer.");
      expect(readingOf(shown)).not.toContain("newest reply");
    }
  });

  it("have a page for each language, which says when a translation is outdated (rule C34)", async () => {
    const id = await write("How?");
    const entry = address(`/${id}`);
    expect((await owner.open(entry)).text).toContain('aria-label="Languages"');
    const german = `${entry}?lang=DE`;
    const page = await owner.open(german);
    expect(readingOf(page)).toContain("Entry in German");
    const values = { "translations.de.question": "Wie?", "translations.de.answer": "Mit **Mut**." };
    const preview = await owner.send(page, entry, { ...values, intent: "preview" });
    expect(preview.text).toMatch(/<div class="stack" lang="de" dir="ltr">.*<strong>Mut<\/strong>/s);
    expect(preview.text).toMatch(/aria-label="Default text".*How\?/s);
    const saved = await owner.send(preview, entry, { intent: "save" });
    expect(saved.headers.get("location")).toBe(`${entry}?lang=de&done=translation-saved`);
    const { body } = await world.call("GET", `/faqs/${id}`);
    expect(body).toMatchObject({ translations: { de: { question: "Wie?", answer: "Mit **Mut**." } } });
    await world.call("PATCH", `/faqs/${id}`, { answer: "Otherwise." });
    expect(readingOf(await owner.open(entry))).toContain("German outdated");
    expect(readingOf(await owner.open(german))).toContain("The default text has changed since");
    await owner.send(await owner.open(german), entry, { intent: "save" });
    expect(readingOf(await owner.open(entry))).not.toContain("outdated");
    await owner.send(await owner.open(`${entry}?lang=de`), `${entry}/translation?lang=de`);
    expect((await world.call("GET", `/faqs/${id}`)).body).toMatchObject({ translations: {} });
  });

  it("say whether a deleted translation stays published until the draft is published", async () => {
    const id = await write("How?");
    const entry = address(`/${id}`);
    const remove = async (tag: string) => {
      const page = await owner.open(`${entry}?lang=${tag}`);
      const deleted = await owner.send(page, `${entry}/translation?lang=${tag}`);
      return [readingOf(page), readingOf(await owner.open(deleted.headers.get("location") ?? ""))];
    };
    const translations = (...tags: string[]) => ({
      translations: Object.fromEntries(tags.map((tag) => [tag, { question: "?", answer: "!" }])),
    });
    await world.call("PATCH", `/faqs/${id}`, translations("de", "fr"));
    expect(await remove("fr")).toEqual([
      expect.stringContaining("People with this language get the default text."),
      expect.stringContaining("The translation is deleted. "),
    ]);
    await world.call("PUT", `/faqs/${id}/draft`, translations("it"));
    expect(await remove("de")).toEqual([
      expect.stringContaining("When you publish the draft, people with this language get the default text."),
      expect.stringContaining(
        "The translation is deleted in the draft. The published translation stays until you publish the draft.",
      ),
    ]);
    // This translation was never published.
    expect(await remove("it")).toEqual([
      expect.stringContaining("People with this language get the default text."),
      expect.stringContaining("The translation is deleted. "),
    ]);
  });

  it("keep a translation in the draft of its entry, and show a refused text at its field", async () => {
    const id = await write("How?");
    const entry = address(`/${id}`);
    await world.call("PUT", `/faqs/${id}/draft`, { answer: "Better." });
    const page = await owner.open(`${entry}?lang=ar`);
    expect(page.text).toContain('dir="rtl"');
    const refused = await owner.send(page, entry, { "translations.ar.question": "كيف؟", intent: "save" });
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("Answer must not be empty");
    await owner.send(refused, entry, { "translations.ar.answer": "هكذا.", intent: "save" });
    expect((await world.call("GET", `/faqs/${id}`)).body).toMatchObject({
      ...{ translations: {}, draft: { answer: "Better.", translations: { ar: { question: "كيف؟" } } } },
    });
    expect(readingOf(await owner.open(entry))).toContain("Question in Arabic");
    const wrong = await owner.open(`${entry}?lang=${encodeURIComponent("<b>no tag</b>")}`);
    expect(readingOf(wrong)).toContain("is not a language tag");
    expect(wrong.text).not.toContain("<b>no tag");
  });

  it("show how a draft differs from the published text, and publish or discard the draft", async () => {
    const id = await write("How?");
    const draft = { intent: "draft", answer: "Because of it." };
    const saved = await owner.send(await owner.open(address(`/${id}`)), address(`/${id}`), draft);
    const page = await owner.follow(saved);
    expect(readingOf(page)).toContain("1 change is not published");
    expect(readingOf(page)).toMatch(/Published: Because\. .*Draft: Because of it\./);
    await owner.send(page, address(`/${id}/discard`));
    expect(readingOf(await owner.open(address(`/${id}`)))).not.toContain("not published");
    const again = await owner.follow(
      await owner.send(await owner.open(address(`/${id}`)), address(`/${id}`), draft),
    );
    await world.call("PATCH", `/faqs/${id}`, { answer: "Pushed." });
    const refused = await owner.send(again, address(`/${id}`), { intent: "publish" });
    expect(refused.status).toBe(409);
    expect(readingOf(refused)).toContain("The published text has changed since this draft was saved");
    await owner.send(refused, address(`/${id}`), { intent: "publish" });
    const { body } = await world.call("GET", `/apps/${app.id}/faqs`);
    expect(body).toMatchObject([{ answer: "Because of it." }]);
  });

  it("restore an earlier text as a draft", async () => {
    const id = await write("How?");
    await world.call("PATCH", `/faqs/${id}`, { answer: "Second." });
    const page = await owner.open(address(`/${id}`));
    expect(readingOf(page)).toContain("History (1)");
    await owner.send(page, address(`/${id}/restore`));
    expect((await world.call("GET", `/faqs/${id}`)).body).toMatchObject({ draft: { answer: "Because." } });
  });

  it("insert pictures into the answer, and keep the typed text", async () => {
    const form = new FormData();
    form.set("question", "How?");
    form.set("answer", "Look:");
    form.append("pictures", new Blob([new Uint8Array(png().bytes)], { type: "image/png" }), "my [shot].png");
    const send = (body: FormData) =>
      service.request("POST", address("/new/pictures"), {
        headers: { ...world.headers, accept: "text/html", origin: service.baseUrl },
        body,
      });
    const answer = await send(form);
    const fields = fieldsOf(formOf(answer, address("/new")));
    expect(fields.question).toBe("How?");
    expect(fields.answer).toMatch(/^Look:\n\n!\[my shot\]\(http\S+\/uploads\/[\w-]+\.png\)$/);
    expect(answer.text).toContain('<img src="');
    form.set("pictures", new Blob(["hello"], { type: "image/png" }), "none.png");
    const refused = await send(form);
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("Pictures must be one of these file types:");
  });

  it("delete an entry permanently", async () => {
    const id = await write("How?");
    const page = await owner.open(address(`/${id}`));
    await owner.send(page, address(`/${id}/delete`));
    expect(await listed()).toEqual([]);
  });

  it("move an entry up and down", async () => {
    const [, second] = [await write("A"), await write("B"), await write("C")];
    await move(second, "down");
    expect(await listed()).toEqual(["A", "C", "B"]);
    await move(second, "up");
    await move(second, "up");
    expect(await listed()).toEqual(["B", "A", "C"]);
  });

  it("move an entry to the top and to the bottom", async () => {
    const [first, , third] = [await write("A"), await write("B"), await write("C")];
    await move(third, "top");
    expect(await listed()).toEqual(["C", "A", "B"]);
    await move(first, "bottom");
    expect(await listed()).toEqual(["C", "B", "A"]);
  });

  it("move entries that have the same position", async () => {
    const [, , third] = [await write("A", 1), await write("B", 1), await write("C", 1)];
    await move(third, "up");
    expect(await listed()).toEqual(["A", "C", "B"]);
  });

  it("move an entry by one position, even if the form is sent several times", async () => {
    const [, , third] = [await write("A"), await write("B"), await write("C")];
    const page = owner.open(address());
    await move(third, "up", page);
    await move(third, "up", page);
    expect(await listed()).toEqual(["A", "C", "B"]);
  });

  describe("with more entries than a page shows", () => {
    const count = 2 * mostOnPage + 1;
    const nameOf = (n: number) => `Entry ${n}?`;
    const idOf = (n: number) => `${app.id.slice(0, 24)}${100_000_000_000 + n}`;
    beforeEach(() =>
      service.deps.database.write((tx) =>
        tx.run(
          `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
           INSERT INTO faqs (id, app_id, question, answer, sort_order, created_at, updated_at)
           SELECT ? || CAST(100000000000 + n AS TEXT), ?, 'Entry ' || n || '?', 'A.', n, ?, ? FROM numbers`,
          ...[count, app.id.slice(0, 24), app.id, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
        ),
      ),
    );
    const shownAt = async (part: string) => {
      const { text } = await owner.open(address(part));
      return [...text.matchAll(/id="faq-[\da-f-]{24}(\d{12})"/g)].map(([, n]) => Number(n) - 100_000_000_000);
    };
    const from = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at);

    it.each([
      ["", 1, mostOnPage],
      ["?page=2", mostOnPage + 1, 2 * mostOnPage],
      ["?page=3", count, count],
      ["?page=99", count, count],
      ["?page=-1", 1, mostOnPage],
      ["?page=x", 1, mostOnPage],
    ])("show one page at the address %j", async (part, first, last) => {
      expect(await shownAt(part)).toEqual(from(first, last));
    });

    it("link to the pages beside them, also in search results", async () => {
      const linked = async (part: string) =>
        [...(await owner.open(address(part))).text.matchAll(/class="button" href="[^"?]*\?([^"]*)"/g)].map(
          ([, query]) => query,
        );
      expect(await linked("")).toEqual(["page=2"]);
      expect(await linked("?page=2")).toEqual(["page=1", "page=3"]);
      expect(await linked("?page=3")).toEqual(["page=1", "page=2"]);
      expect(await linked("?q=entry&page=2")).toEqual(["q=entry&amp;page=1", "q=entry&amp;page=3"]);
      expect(await shownAt("?q=entry&page=2")).toEqual(from(mostOnPage + 1, 2 * mostOnPage));
      expect(readingOf(await owner.open(address("?page=2")))).toContain("Page 2 of 3");
    });

    it.each([
      [mostOnPage, "down", mostOnPage + 1],
      [mostOnPage + 1, "up", mostOnPage],
      [1, "bottom", count],
      [count, "top", 1],
      [3, `to ${2 * mostOnPage}`, count],
    ])("move entry %i %s, and then show the page with it", async (n, direction, place) => {
      const opened = owner.open(address(`?at=${idOf(n)}`));
      const answer = await move(idOf(n), direction, opened);
      const location = answer.headers.get("location") ?? "";
      expect(location).toBe(address(`?at=${idOf(n)}&done=moved#faq-${idOf(n)}`));
      expect((await listed())[place - 1]).toBe(nameOf(n));
      expect(await shownAt(`?at=${idOf(n)}`)).toContain(n);
    });
  });

  it("do not exist for another app's entry", async () => {
    expect((await owner.open(address(`/${world.faqId}`))).status).toBe(404);
  });

  it("use a button that publishes nothing for the Enter key", async () => {
    const id = await write("How?");
    for (const part of ["/new", `/${id}`, `/${id}?lang=de`]) {
      const form = formOf(await owner.open(address(part)), address(part.replace(/\?.*/, "")));
      expect(/<button[^>]*>/.exec(form)?.[0]).toContain('name="intent" value="draft"');
    }
  });
});
