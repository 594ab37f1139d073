import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { dataUrl, mp4, pdf, png } from "../support/files/sample-files.ts";
import { type AppWithSenders, makeAppWithSenders } from "../support/mail/app-with-senders.ts";
import type { Answer } from "../support/service/request.ts";
import { type Service, startService } from "../support/service/service.ts";

const anyone = { accept: "text/html" };

describe("the page of a sender", () => {
  let service: Service;
  let app: AppWithSenders;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    app = await makeAppWithSenders(service);
  });
  afterAll(() => service.stop());

  const open = (url: string) => fetch(url, { headers: anyone });
  const read = async (url: string) => (await open(url)).text();
  const onceIn = (html: string) => /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const post = (url: string, fields: Record<string, string>, origin = service.baseUrl) =>
    fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { ...anyone, origin, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
  const answer = async (url: string, text: string) =>
    post(url, { answer: text, once: onceIn(await read(url)) });

  it("shows the sender's messages, the replies to them and the state, without scripts or a sign-in", async () => {
    const sent = await app.report({ message: "The oven broke.", name: "Ada" });
    const url = sent.field("statusUrl");
    expect(await read(url)).toMatch(/State: <b>Received<\/b>[\s\S]*The oven broke\./);
    await app.console("POST", `/feedback/${sent.field("id")}/messages`, {
      direction: "note",
      body: "Internal words.",
    });
    await app.reply(sent.field("id"), { body: "We mended the oven." });
    await app.console("PATCH", `/feedback/${sent.field("id")}`, {
      status: "resolved",
      subject: "Edited subject",
    });
    const page = await read(url);
    expect(page).toMatch(/State: <b>Resolved<\/b>[\s\S]*We mended the oven\./);
    expect(page).not.toMatch(/Internal words|Edited subject|console\/feedback/);
  });

  it("shows the files that the sender sent, and the files of a repeat only on its own page", async () => {
    const attachments = [{ name: "bill.pdf", data: dataUrl(pdf()) }];
    const first = await app.report({ dedupeKey: "k", images: [dataUrl(png())], attachments });
    const repeat = await app.report({ dedupeKey: "k", videos: [dataUrl(mp4())] });
    const filesOn = async (answer: Answer) => {
      const page = await open(answer.field("statusUrl"));
      expect(page.headers.get("content-security-policy")).toContain("img-src");
      return [...(await page.text()).matchAll(/(?:src|href)="([^"]*\/uploads\/[^"]*)"/g)].map(
        ([, url]) => url,
      );
    };
    const [shown, repeated] = [new Set(await filesOn(first)), new Set(await filesOn(repeat))];
    expect([shown.size, repeated.size]).toEqual([2, 1]);
    for (const url of [...shown, ...repeated]) expect((await fetch(String(url))).status).toBe(200);
    expect([...repeated].some((url) => shown.has(url))).toBe(false);
    expect(await read(first.field("statusUrl"))).toContain("bill.pdf");
  });

  it("is not cached, not indexed by search engines, and not shown in a frame", async () => {
    const { headers, status } = await open((await app.report({})).field("statusUrl"));
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("set-cookie")).toBeNull();
  });

  it("shows in the timeline and in the audit that an answer has opened a resolved thread again", async () => {
    const sent = await app.report({});
    const [id, url] = [sent.field("id"), sent.field("statusUrl")];
    await answer(url, "One more thing.");
    await app.console("PATCH", `/feedback/${id}`, { status: "resolved" });
    await answer(url, "It is broken again.");
    const { items } = Object((await app.console("GET", `/feedback/${id}/events`)).body);
    expect(items).toMatchObject([
      { kind: "status", from: "open", to: "resolved" },
      { kind: "status", from: "resolved", to: "open", by: null, byName: null, bySender: true },
    ]);
    const page = await createBrowserWithoutScripts(service, app.person).open(
      `/console/feedback/${app.appId}/${id}`,
    );
    expect(readingOf(page)).toContain("An answer of the sender changed the status: Resolved → to Open");
    const audited = await app.console("GET", "/audit?action=thread.reopen");
    expect(audited.field("items.0.actor")).toBe("sender");
    const auditPage = await createBrowserWithoutScripts(service, app.person).open("/console/audit");
    expect(readingOf(auditPage)).toContain("Answered a resolved thread, which opened it again");
  });

  it("accepts an answer, adds it to the thread, and opens a resolved thread again", async () => {
    const sent = await app.report({ message: "The oven broke." });
    const id = sent.field("id");
    await app.console("PATCH", `/feedback/${id}`, { status: "resolved" });
    const answered = await answer(sent.field("statusUrl"), "It is\r\nstill broken.");
    expect(answered.status).toBe(303);
    expect(await read(sent.field("statusUrl"))).toContain("It is\nstill broken.");
    expect(await app.thread(id)).toMatchObject({
      feedback: { status: "open" },
      messages: [{ direction: "inbound", author: "sender", body: "It is\nstill broken.", reportId: id }],
    });
  });

  it("counts a form that is sent twice as one answer", async () => {
    const sent = await app.report({});
    const url = sent.field("statusUrl");
    const fields = { answer: "Once.", once: onceIn(await read(url)) };
    await Promise.all([post(url, fields), post(url, fields), post(url, fields)]);
    expect(Object(await app.thread(sent.field("id"))).messages).toHaveLength(1);
  });

  it.each([
    ["an empty answer", { answer: "  \n" }, 400],
    ["a long answer", { answer: "a".repeat(10_001) }, 400],
    ["an answer without the hidden field", { answer: "Hello", once: "" }, 400],
  ])("refuses %s, and keeps the typed text", async (_name, fields, status) => {
    const url = (await app.report({})).field("statusUrl");
    const refused = await post(url, { once: onceIn(await read(url)), ...fields });
    expect(refused.status).toBe(status);
    expect(await refused.text()).toContain(fields.answer.trim());
  });

  it("accepts 20 answers an hour", async () => {
    const sent = await app.report({});
    const url = sent.field("statusUrl");
    for (let count = 0; count < 20; count++) expect((await answer(url, `${count}`)).status).toBe(303);
    const refused = await answer(url, "One more.");
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("One more.");
    service.clock.advance(3_600_001);
    expect((await answer(url, "Later.")).status).toBe(303);
    service.clock.setOffset(0);
  });

  it("refuses a form from another site", async () => {
    const url = (await app.report({})).field("statusUrl");
    const refused = await post(url, { answer: "x", once: onceIn(await read(url)) }, "https://evil.example");
    expect(refused.status).toBe(403);
  });

  it("marks hidden characters in a text, and executes no code from a text", async () => {
    const url = (await app.report({ message: "<script>alert(1)</script>\u202Etxt" })).field("statusUrl");
    const page = await read(url);
    expect(page).toContain("&lt;script>alert(1)&lt;/script>");
    expect(page).toContain("U+202E");
  });

  describe("does not show words of another sender", () => {
    const secret = /Ada's secret|for Ada only/;

    it("after a guessed dedupeKey: neither the first report nor the answers and replies to it", async () => {
      const first = await app.report({ message: "Ada's secret.", dedupeKey: "k" });
      await answer(first.field("statusUrl"), "Ada's secret answer.");
      await app.reply(first.field("id"), { body: "This is for Ada only." });
      await app.reply(first.field("id"), {
        body: "This is for Ada only, told to everyone so far.",
        everyone: true,
      });
      const guess = await app.report({ message: "A guess.", dedupeKey: "k" });
      expect(guess.body).toMatchObject({ deduplicated: true, id: first.field("id") });
      const page = await read(guess.field("statusUrl"));
      expect(page).toContain("A guess.");
      expect(page).not.toMatch(secret);
      await app.reply(first.field("id"), { body: "Later news for everyone.", everyone: true });
      expect(await read(guess.field("statusUrl"))).toContain("Later news for everyone.");
      expect(await read(first.field("statusUrl"))).toContain("Later news for everyone.");
      await app.reply(first.field("id"), { body: "Later, for Ada only." });
      expect(await read(guess.field("statusUrl"))).not.toMatch(secret);
    });

    it("of a repeat, because each repeat has its own page for its replies and answers", async () => {
      const first = await app.report({ message: "First.", dedupeKey: "k" });
      const repeat = await app.report({ message: "Ada's secret.", dedupeKey: "k" });
      const other = await app.report({ message: "Other.", dedupeKey: "k" });
      await answer(repeat.field("statusUrl"), "Ada's secret answer.");
      const { messages } = Object(await app.thread(first.field("id")));
      await app.reply(first.field("id"), { body: "This is for Ada only.", reportId: messages[0].id });
      expect(await read(repeat.field("statusUrl"))).toMatch(/secret answer[\s\S]*for Ada only/);
      for (const { field } of [first, other]) expect(await read(field("statusUrl"))).not.toMatch(secret);
    });

    it("after a repeat of the same run, which stores nothing and gets no page", async () => {
      const run = { dedupeKey: "k", dedupeRun: "1" };
      await app.report({ message: "Ada's secret.", ...run });
      const again = await app.report(run);
      expect(again.body).toMatchObject({ deduplicated: true });
      expect(again.body).not.toHaveProperty("statusUrl");
    });

    it("at an address with another id or a changed link, and all these addresses get the same answer", async () => {
      const sent = await app.report({ message: "Ada's secret." });
      const reply = await app.reply(sent.field("id"));
      const token = sent.field("statusUrl").split("/").at(-1) ?? "";
      const bytes = Buffer.from(token, "base64url");
      const changed = [...bytes.keys()].map((at) => {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ 1;
        return copy.toString("base64url");
      });
      const guesses = [
        ...changed,
        sent.field("id"),
        reply.field("id"),
        token.toLowerCase(),
        `${token}A`,
        "x",
        "%00",
      ];
      const pages = await Promise.all(guesses.map((guess) => open(`${service.baseUrl}/p/t/${guess}`)));
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
      expect(new Set(await Promise.all(pages.map((page) => page.text()))).size).toBe(1);
    });

    it("at an old link after a person has created a new one", async () => {
      const sent = await app.report({ message: "Ada's secret." });
      const renewed = await app.console("POST", `/feedback/${sent.field("id")}/status-link`, {});
      expect((await open(sent.field("statusUrl"))).status).toBe(404);
      expect((await post(sent.field("statusUrl"), { answer: "x", once: service.deps.newId() })).status).toBe(
        404,
      );
      expect(await read(renewed.field("statusUrl"))).toContain("secret");
    });

    it("after the thread is deleted", async () => {
      const sent = await app.report({});
      await app.console("DELETE", `/feedback/${sent.field("id")}`);
      expect((await open(sent.field("statusUrl"))).status).toBe(404);
    });
  });

  it("does not exist if the app's switch is off: no new link is created, and old links open nothing", async () => {
    const before = await app.report({});
    await app.console("PATCH", `/apps/${app.appId}`, { senderPages: false });
    expect((await app.report({})).body).not.toHaveProperty("statusUrl");
    expect((await open(before.field("statusUrl"))).status).toBe(404);
  });

  it("has its link also in the stored answer to a repeated request, which is encrypted", async () => {
    const send = () => app.report({ message: "Once." }, { "idempotency-key": "once" });
    const [first, again] = [await send(), await send()];
    expect(again.body).toEqual(first.body);
    const token = first.field("statusUrl").split("/").at(-1) ?? "?";
    const stored = await service.deps.database.all("SELECT body FROM idempotency");
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(service.logged()).not.toContain(token);
  });
});
