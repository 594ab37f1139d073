import { describe, expect, it } from "vitest";
import { mailReleases } from "../../../server/mail/outgoing/release-mails.ts";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import { afterWaiting, mailsArrive, serverWithMail } from "../../support/mail/server-with-mail.ts";

const ada = { email: "ada@kitchen.example", message: "The oven broke." };

describe.each(databases)("a release note that names feedback, on $name", (engine) => {
  /** Ada has answered with the link in a mail, so her address is confirmed. Bo has not. */
  async function start() {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const app = await makeAppWithSenders(service);
    const id = (await app.report(ada)).field("id");
    const other = (await app.report({ email: "bo@cellar.example", message: "Bo's words." })).field("id");
    await app.reply(id);
    await mailsArrive(server, 1);
    const link =
      /^http:\S+\/p\/t\/\S+$/m.exec((await parsedMail(server.received[0] ?? { raw: "" })).text ?? "")?.[0] ??
      "";
    const answered = await fetch(link, {
      method: "POST",
      redirect: "manual",
      headers: { origin: service.baseUrl, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ answer: "Thanks.", once: service.deps.newId() }).toString(),
    });
    expect(answered.status).toBe(303);
    const note = (version: string, more: object = {}) =>
      app.console("POST", `/apps/${app.appId}/changelog`, {
        ...{ title: "Better ovens", version, body: `Ovens.\n\nFeedback: ${id}\nFeedback: ${other}`, ...more },
      });
    const publish = (entryId: string) => app.console("POST", `/changelog/${entryId}/publish`, {});
    const tell = () => mailReleases(service.deps);
    const count = async () =>
      (await service.deps.database.all("SELECT id FROM mails WHERE kind = 'release'")).length;
    return { server, service, app, id, other, note, publish, tell, count };
  }

  it("is mailed once to each confirmed sender when it is published, with a link to end these mails", async () => {
    const { server, service, app, note, publish, tell, count } = await start();
    const entryId = (await note("1.2.0")).field("id");
    await tell();
    expect(await count()).toBe(0);
    const owner = createBrowserWithoutScripts(service, app.person);
    const address = `/console/changelog/${app.appId}/${entryId}`;
    const page = await owner.open(address);
    expect(readingOf(page)).toContain("1 of 2 senders gets a mail. 1 has not answered a mail yet.");
    expect(readingOf(page)).toContain("Senders who have answered a mail get one mail");
    expect(readingOf(page)).toContain("a…@kitchen.example");
    expect(readingOf(page)).toContain("Publish and notify 1 sender");
    const published = await owner.follow(await owner.send(page, address, { intent: "publish" }));
    expect(readingOf(published)).toContain(
      "The release note is published. 1 of 2 senders gets a mail. 1 has not answered a mail yet.",
    );
    await Promise.all([tell(), tell()]);
    await tell();
    await mailsArrive(server, 2);
    expect(await count()).toBe(1);
    const [, mail = { to: [], raw: "" }] = server.received;
    expect(mail.to).toEqual(["ada@kitchen.example"]);
    const { headers, subject, text = "" } = await parsedMail(mail);
    expect(subject).toMatch(/ 1\.2\.0: Better ovens$/);
    expect(text).toContain("is available: Better ovens\n\nOvens.\n\nThis release");
    expect(text).toContain("> The oven broke.");
    expect(text).not.toContain("Bo's words");
    const headerOf = (name: string) => headers.find(({ key }) => key === name)?.value ?? "";
    expect(headerOf("auto-submitted")).toBe("auto-generated");
    expect(headerOf("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const stop = headerOf("list-unsubscribe").replace(/[<>]/g, "");
    expect((await fetch(stop)).status).toBe(200);
    const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
    expect((await fetch(stop, oneClick)).status).toBe(200);
    await publish((await note("1.3.0")).field("id"));
    await tell();
    expect(await count()).toBe(1);
  });

  it("is mailed with a link that ends these mails also after a newer link, and without pages for senders", async () => {
    const { server, service, app, id, note, publish, tell } = await start();
    await publish((await note("1.2.0")).field("id"));
    await tell();
    await mailsArrive(server, 2);
    const { headers } = await parsedMail(server.received[1] ?? { raw: "" });
    const stop = headers.find(({ key }) => key === "list-unsubscribe")?.value.replace(/[<>]/g, "") ?? "";
    const renewed = await app.console("POST", `/feedback/${id}/status-link`, {});
    expect(renewed.status).toBe(201);
    await service.deps.database.write((tx) => tx.run("UPDATE apps SET sender_pages = 0"));
    const page = stop.replace(/\/stop$/, "");
    expect((await fetch(page)).status).toBe(404);
    expect((await fetch(stop)).status).toBe(200);
    const ended = async () =>
      (await service.deps.database.get(
        "SELECT 1 AS one FROM mail_addresses WHERE unsubscribed_at IS NOT NULL",
      )) !== undefined;
    expect(await ended()).toBe(false);
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    expect((await fetch(stop, { method: "POST", body })).status).toBe(200);
    expect(await ended()).toBe(true);
    const forged = stop.replace(/.(?=\/stop$)/, (last) => (last === "A" ? "Q" : "A"));
    expect((await fetch(forged, { method: "POST", body })).status).toBe(404);
  });

  describe("says in its form, in the preview and after the publication whom it reaches", () => {
    type World = Awaited<ReturnType<typeof start>>;
    const run = ({ service }: World, sql: string, ...values: readonly string[]) =>
      service.deps.database.write((tx) => tx.run(sql, ...values));
    const forgetAnswers = (world: World) => run(world, "DELETE FROM mail_addresses");
    const repeat = ({ app }: World, email: string | undefined, message: string) =>
      app.report({ message, dedupeKey: message, ...(email && { email }) });

    const withThird = async (world: World, email: string | undefined): Promise<string[]> => [
      (await repeat(world, email, "A third one.")).field("id"),
    ];

    it.each<{ readonly when: string; readonly arrange: (world: World) => Promise<unknown>; says: string }>([
      {
        when: "nobody has answered",
        arrange: forgetAnswers,
        says: "0 of 2 senders get a mail. 2 have not answered a mail yet.",
      },
      {
        when: "there is a third sender",
        arrange: (world) => withThird(world, "cy@attic.example"),
        says: "1 of 3 senders gets a mail. 2 have not answered a mail yet.",
      },
      {
        when: "a report has no address",
        arrange: (world) => withThird(world, undefined),
        says: "1 of 2 senders gets a mail. 1 has not answered a mail yet. 1 report has no mail address.",
      },
      {
        when: "a sender has unsubscribed",
        arrange: (world) => run(world, "UPDATE mail_addresses SET unsubscribed_at = confirmed_at"),
        says: "0 of 2 senders get a mail. 1 has not answered a mail yet. 1 has unsubscribed.",
      },
      {
        when: "a sender has got three mails about release notes",
        arrange: async ({ note, publish, tell }) => {
          for (const minor of [1, 2, 3]) await publish((await note(`0.${minor}.0`)).field("id"));
          await tell();
        },
        says: "0 of 2 senders get a mail. 1 has not answered a mail yet. 1 has got 3 mails about release notes in the last 24 hours.",
      },
      {
        when: "the app has no sender pages",
        arrange: (world) => run(world, "UPDATE apps SET sender_pages = 0"),
        says: "0 of 2 senders get a mail. This app has no sender pages.",
      },
    ])("if $when", async ({ arrange, says }) => {
      const world = await start();
      const { service, app, id, other, tell, count } = world;
      const third = await arrange(world);
      await tell();
      const before = await count();
      const owner = createBrowserWithoutScripts(service, app.person);
      const address = `/console/changelog/${app.appId}/new`;
      const fixes = [id, other, ...(Array.isArray(third) ? third : [])].join(", ");
      const typed = { title: "Better ovens", version: "1.2.0", body: "Ovens.", fixes };
      const preview = await owner.send(await owner.open(address), address, { ...typed, intent: "preview" });
      expect(readingOf(preview)).toContain(says);
      const published = await owner.follow(await owner.send(preview, address, { intent: "publish" }));
      expect(readingOf(published)).toContain(`The release note is published. ${says}`);
      await tell();
      expect((await count()) - before).toBe(Number(says.slice(0, 1)));
    });

    it.each([
      { when: "with a time in the last days", days: 1, says: "1 of 2 senders gets a mail.", mails: 1 },
      {
        ...{ when: "with a time that is too old", days: 8, mails: 0 },
        says: "0 of 2 senders get a mail. The publication time is more than 7 days ago.",
      },
    ])("if it is published $when", async ({ days, says, mails }) => {
      const { service, app, id, other, tell, count } = await start();
      const owner = createBrowserWithoutScripts(service, app.person);
      const address = `/console/changelog/${app.appId}/new`;
      const time = new Date(service.clock.now().getTime() - days * 86_400_000);
      const publishedAt = time.toISOString().slice(0, 16);
      const typed = { title: "Ovens", version: "1.2.0", fixes: `${id}, ${other}`, publishedAt, zone: "UTC" };
      const preview = await owner.send(await owner.open(address), address, { ...typed, intent: "preview" });
      expect(readingOf(preview)).toContain(says);
      const published = await owner.follow(await owner.send(preview, address, { intent: "publish" }));
      expect(readingOf(published)).toContain(`The release note is published. ${says}`);
      await tell();
      expect(await count()).toBe(mails);
    });

    it("if a new time publishes a scheduled note", async () => {
      const { service, app, note, tell, count } = await start();
      const entryId = (await note("1.2.0", { publishedAt: "2199-01-01T10:00:00.000Z" })).field("id");
      const owner = createBrowserWithoutScripts(service, app.person);
      const address = `/console/changelog/${app.appId}/${entryId}`;
      const hourAgo = new Date(service.clock.now().getTime() - 3_600_000).toISOString().slice(0, 16);
      const sent = { intent: "save", publishedAt: hourAgo, zone: "UTC" };
      const published = await owner.follow(await owner.send(await owner.open(address), address, sent));
      expect(readingOf(published)).toContain("The release note is published. 1 of 2 senders gets a mail.");
      await tell();
      expect(await count()).toBe(1);
    });

    it.each([
      {
        passed: 1,
        says: "0 of 2 senders get a mail. 1 has not answered a mail yet. 1 has already got a mail",
      },
      { passed: 8, says: "0 of 2 senders get a mail. The note was already published earlier." },
    ])("if it was published and became a draft again after $passed days", async ({ passed, says }) => {
      const { server, service, app, note, publish, tell, count } = await start();
      const entryId = (await note("1.2.0")).field("id");
      await publish(entryId);
      await tell();
      await mailsArrive(server, 2);
      service.clock.advance(passed * 86_400_000);
      await app.console("PATCH", `/changelog/${entryId}`, { publishedAt: null });
      const person = await service.signIn(app.owner);
      const owner = createBrowserWithoutScripts(service, person);
      const address = `/console/changelog/${app.appId}/${entryId}`;
      const page = await owner.open(address);
      expect(readingOf(page)).toContain(says);
      const published = await owner.follow(await owner.send(page, address, { intent: "publish" }));
      expect(readingOf(published)).toContain(`The release note is published. ${says}`);
      await tell();
      expect(await count()).toBe(1);
    });

    it("but not if the same request is sent twice", async () => {
      const { service, app, note } = await start();
      const address = `/console/changelog/${app.appId}/${(await note("1.2.0")).field("id")}`;
      const owner = createBrowserWithoutScripts(service, app.person);
      const page = await owner.open(address);
      await owner.send(page, address, { intent: "publish" });
      const again = readingOf(await owner.follow(await owner.send(page, address, { intent: "publish" })));
      expect(again).toContain("The release note is published.");
      expect(again).not.toMatch(/gets? a mail/);
    });

    it("if the draft of a published note is published", async () => {
      const { service, app, note, publish } = await start();
      const entryId = (await note("1.2.0")).field("id");
      await publish(entryId);
      const owner = createBrowserWithoutScripts(service, app.person);
      const address = `/console/changelog/${app.appId}/${entryId}`;
      await owner.send(await owner.open(address), address, { intent: "draft", title: "Newer" });
      const sent = await owner.send(await owner.open(address), address, { intent: "publish" });
      expect(readingOf(await owner.follow(sent))).toContain(
        "The release note is published. 0 of 2 senders get a mail. The note was already published earlier.",
      );
    });
  });

  it("is not published by a form whose list did not have its receivers (rule C32)", async () => {
    const { service, app, id, note } = await start();
    const entryId = (await note("1.2.0", { body: "Ovens." })).field("id");
    const owner = createBrowserWithoutScripts(service, app.person);
    const address = `/console/changelog/${app.appId}/${entryId}`;
    const page = await owner.open(address);
    expect(readingOf(page)).toContain("Publish now");
    const refused = await owner.send(page, address, { intent: "publish", fixes: id });
    expect(readingOf(refused)).toContain(
      "1 sender would get a mail. Check the list before you publish the note.",
    );
    const published = async () => (await app.console("GET", `/changelog/${entryId}`)).body;
    expect(await published()).toMatchObject({ publishedAt: null });
    await owner.send(refused, address, { intent: "publish" });
    expect(await published()).toMatchObject({ publishedAt: expect.any(String), feedbackIds: [id] });
  });

  it("is not published by a new time in the past, either, if the list did not have its receivers (rule C32)", async () => {
    const { service, app, id, note } = await start();
    const publishedAt = "2199-01-01T10:00:00.000Z";
    const entryId = (await note("1.2.0", { body: "Ovens.", publishedAt })).field("id");
    const owner = createBrowserWithoutScripts(service, app.person);
    const address = `/console/changelog/${app.appId}/${entryId}`;
    const hourAgo = new Date(service.clock.now().getTime() - 3_600_000).toISOString().slice(0, 16);
    const sent = { intent: "save", publishedAt: hourAgo, zone: "UTC", fixes: id };
    const refused = await owner.send(await owner.open(address), address, sent);
    expect(readingOf(refused)).toContain("1 sender would get a mail.");
    expect((await app.console("GET", `/changelog/${entryId}`)).body).toMatchObject({ publishedAt });
  });

  it("lists only receivers of the chosen form, and not of the text that is not saved (rule C32)", async () => {
    const { service, app, id, other } = await start();
    await service.deps.database.write((tx) =>
      tx.run(
        "INSERT INTO mail_addresses (app_id, recipient, confirmed_at) VALUES (?, ?, ?)",
        ...[app.appId, "bo@cellar.example", service.clock.now().toISOString()],
      ),
    );
    const owner = createBrowserWithoutScripts(service, app.person);
    const address = `/console/changelog/${app.appId}/new`;
    const typed = {
      ...{ title: "Better ovens", version: "1.2.0", bodyFormat: "items", fixes: id },
      ...{ "items.0.type": "fixed", "items.0.text": "Ovens", body: `Not saved.\n\nFeedback: ${other}` },
    };
    const refused = await owner.send(await owner.open(address), address, { ...typed, intent: "publish" });
    expect(readingOf(refused)).toContain("1 sender would get a mail.");
    expect(readingOf(refused)).toContain("Publish and notify 1 sender");
    expect(readingOf(refused)).not.toContain("b…@cellar.example");
    expect((await owner.send(refused, address, { intent: "publish" })).status).toBe(303);
    const { items } = Object((await app.console("GET", `/apps/${app.appId}/changelog`)).body);
    expect(items).toMatchObject([{ publishedAt: expect.any(String), feedbackIds: [id] }]);
  });

  it("is not published by a form whose list lacks threads that another person has added (rule C32)", async () => {
    const { service, app, id, note } = await start();
    const entryId = (await note("1.2.0", { body: "Ovens." })).field("id");
    const owner = createBrowserWithoutScripts(service, app.person);
    const address = `/console/changelog/${app.appId}/${entryId}`;
    const page = await owner.open(address);
    await owner.send(await owner.open(address), address, { intent: "save", fixes: id });
    const refused = await owner.send(page, address, { intent: "publish", title: "Ovens" });
    expect(readingOf(refused)).toContain("1 sender would get a mail.");
    expect(readingOf(refused)).toContain("a…@kitchen.example");
    expect((await owner.send(refused, address, { intent: "publish" })).status).toBe(303);
    expect((await app.console("GET", `/changelog/${entryId}`)).body).toMatchObject({ feedbackIds: [id] });
  });

  it("has its title and its text in the language that the app named in the report (rule C35)", async () => {
    const { server, service, id, note, publish, tell } = await start();
    const set = (metadata: object) =>
      service.deps.database.write((tx) =>
        tx.run("UPDATE feedback SET metadata = ? WHERE id = ?", JSON.stringify(metadata), id),
      );
    const translations = {
      de: { title: "Bessere Öfen", body: "**Öfen** heizen." },
      fr: { title: "Meilleurs fours", body: "Des fours." },
    };
    for (const [at, metadata] of [
      { locale: "de_AT" },
      { language: "it" },
      { lang: 7, locale: "fr" },
    ].entries()) {
      await set(metadata);
      await publish((await note(`1.${at}.0`, { translations })).field("id"));
      await tell();
    }
    await mailsArrive(server, 4);
    const mailed = await Promise.all(
      server.received.slice(1).map(async (mail) => {
        const { subject = "", text = "" } = await parsedMail(mail);
        return [subject.replace(/^.*: /, ""), text.split("\n\n")[1]];
      }),
    );
    expect(mailed.sort()).toEqual([
      ["Bessere Öfen", "Öfen heizen."],
      ["Better ovens", "Ovens."],
      ["Meilleurs fours", "Des fours."],
    ]);
  });

  describe("while its mails wait", () => {
    it.each([
      { change: "is deleted", method: "DELETE", body: undefined },
      { change: "is no longer published", method: "PATCH", body: { publishedAt: null } },
      { change: "is postponed", method: "PATCH", body: { publishedAt: "2199-01-01T10:00:00.000Z" } },
    ])("is not mailed if it $change", async ({ method, body }) => {
      const { server, app, note, publish, tell, count } = await start();
      await server.close();
      const id = (await note("1.2.0")).field("id");
      await publish(id);
      await tell();
      expect(await count()).toBe(1);
      expect((await app.console(method, `/changelog/${id}`, body)).status).toBe(200);
      expect(await count()).toBe(0);
      await tell();
      expect(await count()).toBe(0);
    });

    it("is mailed with its new text if it is published again", async () => {
      const { server, service, app, id: thread, note, publish, tell } = await start();
      await server.close();
      const id = (await note("1.2.0")).field("id");
      await publish(id);
      await tell();
      await eventually(async () =>
        expect(
          await service.deps.database.get("SELECT last_error FROM mails WHERE kind = 'release'"),
        ).toMatchObject({ last_error: expect.any(String) }),
      );
      const body = `New words.\n\nFeedback: ${thread}`;
      await app.console("PATCH", `/changelog/${id}`, { publishedAt: null, body });
      const opened = await startMailServer({}, server.port);
      await publish(id);
      await tell();
      await afterWaiting(service, 3_600_000);
      await mailsArrive(opened, 1);
      expect((await parsedMail(opened.received[0] ?? { raw: "" })).text).toContain("\n\nNew words.\n\n");
    });
  });

  it("is not mailed a second time if it is published again", async () => {
    const { server, app, note, publish, tell, count } = await start();
    const id = (await note("1.2.0")).field("id");
    await publish(id);
    await tell();
    await mailsArrive(server, 2);
    await app.console("PATCH", `/changelog/${id}`, { publishedAt: null });
    await publish(id);
    await tell();
    expect(await count()).toBe(1);
  });

  it.each([
    { status: "failed", mails: 2 },
    { status: "bounced", mails: 2 },
    { status: "sent", mails: 1 },
  ])(
    "has $mails mails after it is published again if the first mail is $status",
    async ({ status, mails }) => {
      const { server, service, app, note, publish, tell, count } = await start();
      await server.close();
      const id = (await note("1.2.0")).field("id");
      await publish(id);
      await tell();
      await service.deps.database.write((tx) =>
        tx.run(
          "UPDATE mails SET status = ?, settled_at = ?, content = NULL WHERE kind = 'release'",
          ...[status, service.clock.now().toISOString()],
        ),
      );
      await app.console("PATCH", `/changelog/${id}`, { publishedAt: null });
      await publish(id);
      await tell();
      expect(await count()).toBe(mails);
    },
  );

  it("with a future date is mailed on that date, and an old note is not mailed", async () => {
    const { service, note, tell, count } = await start();
    const at = (days: number) => new Date(service.clock.now().getTime() + days * 86_400_000).toISOString();
    await note("2.0.0", { publishedAt: at(1) });
    await note("0.9.0", { publishedAt: at(-8) });
    await tell();
    expect(await count()).toBe(0);
    service.clock.advance(2 * 86_400_000);
    await tell();
    expect(await count()).toBe(1);
  });

  it("causes at most three mails a day for an address, and no mail while the app has no pages for senders", async () => {
    const { app, note, publish, tell, count } = await start();
    for (let minor = 0; minor < 5; minor++) await publish((await note(`3.${minor}.0`)).field("id"));
    await tell();
    expect(await count()).toBe(3);
    await app.console("PATCH", `/apps/${app.appId}`, { senderPages: false });
    await publish((await note("4.0.0")).field("id"));
    await tell();
    expect(await count()).toBe(3);
  });
});
