import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import { mailsArrive, serverWithMail } from "../../support/mail/server-with-mail.ts";
import { startService } from "../../support/service/service.ts";

const ada = { name: "Ada", email: "ada@kitchen.example", message: "The oven of Ada broke." };
const bo = { name: "Bo", email: "bo@cellar.example", message: "The cellar of Bo is wet." };

describe("a reply", () => {
  const start = async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url);
    return { server, service, app: await makeAppWithSenders(service) };
  };

  it("is mailed to the sender, with the sender's own words and the link to the sender's page", async () => {
    const { server, service, app } = await start();
    const id = (await app.report({ ...ada, subject: "Screen is black" })).field("id");
    await app.console("PATCH", `/feedback/${id}`, { subject: "Internal: duplicate of the other one" });
    const reply = await app.reply(id);
    await mailsArrive(server, 1);
    const [mail = { to: [], raw: "" }] = server.received;
    expect(mail.to).toEqual(["ada@kitchen.example"]);
    const { subject, text = "", headers } = await parsedMail(mail);
    expect(subject).toBe("Re: your report “Screen is black”");
    expect(text).toMatch(/^Fixed in 1\.2\.\n/);
    expect(text).toContain("> The oven of Ada broke.");
    expect(text).not.toContain("Internal");
    expect(headers.map(({ key }) => key)).not.toContain("auto-submitted");
    const link = /^http:\S+\/p\/t\/\S+$/m.exec(text)?.[0] ?? "";
    const page = await fetch(link);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Fixed in 1.2.");
    const mails = [
      { to: "ada@kitchen.example", status: "sent", reason: null, settledAt: expect.any(String) },
    ];
    await vi.waitFor(
      async () =>
        expect(await app.thread(id)).toMatchObject({
          messages: [{ id: reply.field("id"), reportId: id, mails }],
        }),
      { timeout: 60_000 },
    );
    expect(service.logged()).not.toContain(link.split("/").at(-1));
  });

  it.each([
    ["was not edited", []],
    ["was edited twice", ["Internal", "Internal again"]],
  ])("names each report by the subject that its sender gave, if the subject %s", async (_, edits) => {
    const { server, app } = await start();
    const first = (await app.report({ ...ada, subject: "  Screen is\nblack " })).field("id");
    const merged = (await app.report({ ...bo, subject: "Bildschirm schwarz" })).field("id");
    await app.report({ email: "cy@attic.example", message: "See picture", dedupeKey: "k" });
    const repeated = (
      await app.report({ email: "dee@roof.example", dedupeKey: "k", subject: "Black" })
    ).field("id");
    for (const subject of edits)
      for (const id of [first, merged, repeated]) await app.console("PATCH", `/feedback/${id}`, { subject });
    for (const id of [merged, repeated]) await app.console("POST", `/feedback/${id}/merge`, { into: first });
    await app.reply(first, { everyone: true });
    await mailsArrive(server, 4);
    const subjects = await Promise.all(
      server.received.map(async (mail) => [mail.to[0], (await parsedMail(mail)).subject]),
    );
    expect(Object.fromEntries(subjects)).toEqual({
      "ada@kitchen.example": "Re: your report “Screen is black”",
      "bo@cellar.example": "Re: your report “Bildschirm schwarz”",
      "cy@attic.example": "Re: your report “See picture”",
      "dee@roof.example": "Re: your report “Black”",
    });
  });

  it("shows that its mail waits, with the reason", async () => {
    const { server, service, app } = await start();
    await server.close();
    const id = (await app.report(ada)).field("id");
    await app.reply(id);
    const mails = [
      { to: "ada@kitchen.example", status: "waiting", reason: expect.stringContaining("cannot be used") },
    ];
    await vi.waitFor(async () => expect(await app.thread(id)).toMatchObject({ messages: [{ mails }] }), {
      timeout: 60_000,
    });
    // The queue waits, so the server does not try to send the next mail.
    const path = `/console/feedback/${app.appId}/${id}`;
    const owner = createBrowserWithoutScripts(service, app.person);
    for (const direction of ["outbound", "resolve"]) {
      const sent = await owner.send(await owner.open(path), `${path}/messages`, {
        direction,
        replyBody: "Fixed.",
      });
      const next = sent.headers.get("location")?.split("#")[0] ?? "";
      expect(readingOf(await owner.open(next))).toContain(
        "The reply was added to the thread. Waits to be mailed to ada@kitchen.example: The mail server cannot be used",
      );
    }
  });

  it("is said to be mailed only after the mail server has accepted it", async () => {
    const { server, service, app } = await start();
    const id = (await app.report(ada)).field("id");
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_TOKEN: await service.makeToken(app.owner, "maintainer", {
        scopes: ["feedback:read", "feedback:write"],
      }),
    });
    const ran = await line.run(["feedback", "reply", id, "--body", "Fixed."]);
    expect(ran.stderr).toContain("Will be mailed to ada@kitchen.example.");
    await mailsArrive(server, 1);
    await vi.waitFor(
      async () =>
        expect((await line.run(["feedback", "view", id])).stdout).toContain(
          "Delivery: Mailed to ada@kitchen.example.",
        ),
      { timeout: 60_000 },
    );
  });

  it("to the sender of a repeat is mailed only to that sender, with only that sender's words", async () => {
    const { server, app } = await start();
    const id = (await app.report({ ...ada, dedupeKey: "k" })).field("id");
    await app.report({ ...bo, dedupeKey: "k" });
    const thread = await app.thread(id);
    const repeat = Object(Object(thread).messages[0]).id;
    expect((await app.reply(id, { reportId: repeat })).status).toBe(201);
    await mailsArrive(server, 1);
    const [mail = { to: [], raw: "" }] = server.received;
    expect(mail.to).toEqual(["bo@cellar.example"]);
    const { subject, text = "" } = await parsedMail(mail);
    expect(subject).toBe("Re: your report “The cellar of Bo is wet.”");
    expect(text).not.toMatch(/\bAda\b|\boven\b/);
  });

  it("to everyone is mailed to each address once, and contains no other address", async () => {
    const { server, app } = await start();
    const id = (await app.report({ ...ada, dedupeKey: "k" })).field("id");
    for (const sender of [
      bo,
      { ...bo, email: "BO@cellar.example" },
      { message: "Anonymous." },
      { email: "call me" },
    ])
      await app.report({ ...sender, dedupeKey: "k" });
    await app.reply(id, { everyone: true });
    await mailsArrive(server, 2);
    const texts = new Map(server.received.map((mail) => [mail.to.join().toLowerCase(), mail.raw]));
    expect([...texts.keys()].sort()).toEqual(["ada@kitchen.example", "bo@cellar.example"]);
    expect(texts.get("ada@kitchen.example")).not.toMatch(/bo@|Bo |cellar/i);
    expect(texts.get("bo@cellar.example")).not.toMatch(/ada@|Ada |\boven\b/i);
  });

  it("is refused if it names a report of another thread", async () => {
    const { app } = await start();
    const [id, other] = [(await app.report(ada)).field("id"), (await app.report(bo)).field("id")];
    const refused = await app.reply(id, { reportId: other });
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: "reportId" }] } });
    expect(await app.thread(id)).toMatchObject({ messages: [] });
  });

  it("is mailed once if the request is repeated, and its mail is deleted with its thread", async () => {
    const { server, service, app } = await start();
    const id = (await app.report(ada)).field("id");
    const send = () =>
      service.request("POST", `/api/v1/console/feedback/${id}/messages`, {
        headers: { ...app.person, "idempotency-key": "once" },
        body: { direction: "outbound", body: "Thanks." },
      });
    expect((await send()).body).toEqual((await send()).body);
    await mailsArrive(server, 1);
    await app.console("DELETE", `/feedback/${id}`);
    expect(await service.deps.database.all("SELECT id FROM mails")).toEqual([]);
  });

  it("to a contact that is not an e-mail address is not mailed, and neither is a note", async () => {
    const { server, service, app } = await start();
    const id = (await app.report({ ...ada, email: "@ada on the forum" })).field("id");
    await app.reply(id);
    const other = (await app.report(ada)).field("id");
    await app.console("POST", `/feedback/${other}/messages`, { direction: "note", body: "Internal." });
    expect(await service.deps.database.all("SELECT id FROM mails")).toEqual([]);
    expect(server.received).toEqual([]);
  });
});

it("a reply on a server without a mail server is kept on the thread and not mailed", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const app = await makeAppWithSenders(service);
  const id = (await app.report(ada)).field("id");
  await app.reply(id);
  expect(await app.thread(id)).toMatchObject({ messages: [{ body: "Fixed in 1.2.", reportId: id }] });
  expect(await service.deps.database.all("SELECT id FROM mails")).toEqual([]);
});
