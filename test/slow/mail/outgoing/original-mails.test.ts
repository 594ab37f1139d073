import { describe, expect, it } from "vitest";
import { tidy } from "../../../../server/jobs/housekeeping.ts";
import { databases } from "../../../support/database/databases.ts";
import { dataUrl, pdf } from "../../../support/files/sample-files.ts";
import { mailOf } from "../../../support/mail/arriving-mail.ts";
import { ada, startMailedThread } from "../../../support/mail/mailed-thread.ts";

const day = 86_400_000;

describe.each(databases)("the original of a mail on $name", (engine) => {
  it("is kept with its message for 30 days, and then deleted with its file", async () => {
    const { service, take, messages, as } = await startMailedThread({ engine, still: true });
    const original = async (id: string) => (await as("maintainer"))("GET", `/mail-originals/${id}`);
    const raw = mailOf(["Still broken.", "", "> Fixed in 1.2."]);
    await take(raw);
    const [message] = await messages();
    expect(message.body).toBe("Still broken.");
    const until = new Date(service.clock.now().getTime() + 30 * day).toISOString();
    expect(message.originalUntil).toBe(until);
    const answer = await original(message.id);
    expect(answer.text).toBe(raw);
    expect(answer.headers.get("content-type")).toBe("message/rfc822");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="mail-.*\.eml"/);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const before = await service.deps.database.all<{ sha256: string }>("SELECT sha256 FROM uploads");
    expect(before).toHaveLength(1);
    service.clock.pass(30 * day);
    expect((await original(message.id)).status).toBe(404);
    await tidy(service.deps);
    for (const table of ["mail_originals", "uploads"])
      expect(await service.deps.database.all(`SELECT 1 AS one FROM ${table}`)).toEqual([]);
    await service.deps.keptFiles.removeUnreferenced([]);
    expect(await service.deps.files.size(before[0]?.sha256 ?? "")).toBeUndefined();
  });

  it("is deleted if the person is erased as sender, as receiver or in a text", async () => {
    const { service, app, id, take, automatic, messages } = await startMailedThread({ engine });
    await take(mailOf(["I am away, ask <bo@cellar.example>."], { "Auto-Submitted": "auto-replied" }));
    await take(mailOf(["My colleague is Bo.", "bo@cellar.example"], { From: "eve@evil.example" }));
    await take(mailOf(["Nobody else is named here."]));
    expect([(await messages()).length, (await automatic()).length]).toEqual([2, 1]);
    const erase = async (email: string) => {
      const begun = await app.console("POST", "/people/erase", { email });
      await expect
        .poll(async () => (await app.console("GET", `/people/erasures/${begun.field("id")}`)).field("status"))
        .toBe("done");
    };
    await erase("bo@cellar.example");
    expect((await automatic()).length).toBe(0);
    expect((await messages()).map((message: object) => "originalUntil" in message)).toEqual([false, true]);
    await erase(ada);
    expect((await app.console("GET", `/feedback/${id}`)).status).toBe(404);
    expect(await service.deps.database.all("SELECT 1 AS one FROM uploads")).toEqual([]);
  });

  it("of a program's mail is listed, and becomes a message with its files if a person chooses this", async () => {
    const { app, take, messages, automatic, id } = await startMailedThread({ engine });
    const bytes = dataUrl(pdf()).split(",")[1] ?? "";
    const headers = { Precedence: "list", "Content-Type": 'multipart/mixed; boundary="b"' };
    const parts = ["--b", "", "See the file.", "> old", "--b", "Content-Type: application/pdf; name=a.pdf"];
    await take(mailOf([...parts, "Content-Transfer-Encoding: base64", "", bytes, "--b--"], headers));
    expect(await messages()).toEqual([]);
    const [item] = await automatic();
    expect(item).toMatchObject({
      ...{ threadId: id, from: ada, subject: "Re: your report", reason: "precedence" },
      text: "See the file.",
    });
    const taken = await app.console("POST", `/automatic-mails/${item.id}/take`);
    expect([taken.status, taken.body]).toEqual([200, { threadId: id, messageId: item.id }]);
    const [message] = await messages();
    expect(message).toMatchObject({
      ...{ id: item.id, direction: "inbound", author: "sender", body: "See the file.", reportId: id },
      attachments: [{ name: "a.pdf" }],
      originalUntil: item.keptUntil,
    });
    expect(message).not.toHaveProperty("foreignFrom");
    expect((await automatic()).length).toBe(0);
    const again = await app.console("POST", `/automatic-mails/${item.id}/take`);
    expect([again.status, again.field("code")]).toEqual([409, "wrong_state"]);
  });

  it("can contain characters that a database cannot store", async () => {
    const { take, messages, automatic } = await startMailedThread({ engine });
    const odd = { From: "=?utf-8?Q?a=00b?= <a\0b@kitchen.example>", Subject: "=?utf-8?B?AO2ggAA=?=" };
    expect(await take(mailOf(["Odd \0 text."], odd))).toBe("stored");
    expect(await take(mailOf(["Odd \0 text."], { ...odd, Precedence: "bulk" }))).toBe("unread");
    expect([(await messages()).length, (await automatic()).length]).toEqual([1, 1]);
  });
});

describe("the mails of programs", () => {
  it("are kept up to 20 an hour, and each once", async () => {
    const { take, automatic, service } = await startMailedThread();
    const copy = mailOf(["Away."], { "Auto-Submitted": "auto-replied" });
    await take(copy);
    await take(copy);
    for (let count = 0; count < 22; count += 1)
      await take(mailOf([`Away ${count}.`], { "Auto-Submitted": "auto-replied" }));
    expect((await automatic()).length).toBe(20);
    expect(await service.deps.database.all("SELECT 1 AS one FROM uploads")).toHaveLength(20);
  });
});
