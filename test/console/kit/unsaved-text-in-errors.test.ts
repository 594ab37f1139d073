import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { sqlite } from "../../support/database/databases.ts";
import { type FailingDatabase, failingDatabase } from "../../support/database/failing-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAccount } from "../../support/sign-in/password-accounts.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the typed text of a form whose request failed", () => {
  let database: FailingDatabase;
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    database = await failingDatabase(sqlite);
    service = await startService({ database });
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const list = () => `/console/faqs/${world.app.id}`;
  const typed = { question: "How <do> I?", answer: "\nFirst line\nSecond & last" };
  const echoed = />\n\nFirst line\nSecond &amp; last<\/textarea>/;

  it.each(["writes", "everything"] as const)(
    "is on the error page if the database refuses %s",
    async (what) => {
      const page = await owner.open(`${list()}/new`);
      database.trouble(new Error("The disk is gone."), what);
      const refused = await owner.send(page, `${list()}/new`, typed);
      expect(refused.status).toBe(500);
      expect(readingOf(refused)).toMatch(/Your typed text .* Question How <do> I\? Answer/);
      expect(refused.text).toMatch(echoed);
    },
  );

  it("is on the page of a deleted entry, separate from unchanged fields", async () => {
    const made = await world.call("POST", `/apps/${world.app.id}/faqs`, {
      question: "Gone?",
      answer: "Yes.",
    });
    const address = `${list()}/${made.field("id")}`;
    const page = await owner.open(address);
    await world.call("DELETE", `/faqs/${made.field("id")}`);
    const refused = await owner.send(page, address, { answer: typed.answer });
    expect(refused.status).toBe(404);
    expect(refused.text).toMatch(echoed);
    expect(readingOf(refused)).not.toContain("Gone?");
  });

  it("is never shown for a password or a secret address", async () => {
    const person = createBrowserWithoutScripts(service, await service.signIn(await makeAccount(service)));
    const page = await person.open("/console/sign-in-methods");
    const settings = await owner.open(`/console/apps/${world.app.id}`);
    database.trouble(new Error("The disk is gone."));
    const passwords = {
      currentPassword: "secret one",
      newPassword: "secret two",
      repeatedPassword: "secret two",
    };
    const refused = [
      await person.send(page, "/console/sign-in-methods/password", passwords),
      await owner.send(settings, `/console/apps/${world.app.id}`, {
        name: "A new name",
        chatWebhookUrl: "https://chat.example/secret",
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([500, 500]);
    expect(refused.map(({ text }) => text.includes("secret"))).toEqual([false, false]);
    expect(refused[1]?.text).toContain("A new name");
  });

  it("is not shown to a page of another origin", async () => {
    const page = await owner.open(`${list()}/new`);
    const foreign = createBrowserWithoutScripts(service, {
      ...world.headers,
      origin: "https://evil.example",
    });
    const refused = await foreign.send(page, `${list()}/new`, typed);
    expect([refused.status, refused.text.includes("First line")]).toEqual([403, false]);
  });
});
