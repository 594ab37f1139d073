import { describe, expect, it, onTestFinished } from "vitest";
import { queueMail } from "../../../server/mail/outgoing/queue.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import {
  afterWaiting,
  mailBecomes,
  mailRow,
  mailsArrive,
  queue,
  serverWithMail,
} from "../../support/mail/server-with-mail.ts";
import { startService } from "../../support/service/service.ts";

const hour = 3_600_000;

describe.each(databases)("a mail on $name", (engine) => {
  it("is sent exactly as it was queued, and its content is then deleted", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const id = await queue(service, {
      to: " Ada@Kitchen.example ",
      thread: "t1",
    });
    await mailsArrive(server, 1);
    await mailBecomes(service, id, { status: "sent", content: null, recipient: "ada@kitchen.example" });
    const [mail = { from: "", to: [], raw: "" }] = server.received;
    expect(mail).toMatchObject({ from: "feedback@larder.example", to: ["Ada@kitchen.example"] });
    expect(await parsedMail(mail)).toMatchObject({
      subject: "You are invited",
      text: "Come in:\nhttps://larder.example/i/1\n",
      messageId: `<${id}@larder.example>`,
      references: "<thread.t1@larder.example>",
      from: { name: "Larder", address: "feedback@larder.example" },
    });
  });

  it("is not sent if the change that it reports is rolled back", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const undone = service.deps.database.write(async (tx) => {
      const mail = { kind: "invitation", to: "ada@kitchen.example", subject: "Undone", text: "." } as const;
      await queueMail(service.deps, tx, mail);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await queue(service, { subject: "The only one" });
    await mailsArrive(server, 1);
    expect(server.received[0]?.raw).toContain("The only one");
  });

  it("is encrypted while it waits, because its links are secret", async () => {
    const service = await serverWithMail("smtp://127.0.0.1:9?tls=off", { engine });
    const id = await queue(service, { text: "https://larder.example/recover/secret-of-the-link" });
    const row = await mailRow(service, id);
    expect(row?.content).toMatch(/^sealed:/);
    expect(JSON.stringify(row)).not.toContain("secret-of-the-link");
  });

  it("is sent once if several servers share the database", async () => {
    const mails = 60;
    const server = await startMailServer();
    const database = await engine.create();
    onTestFinished(() => database.remove());
    const options = { database, secret: "s".repeat(32) };
    const first = await serverWithMail(server.url, options);
    const others = engine.engine === "postgres" ? [await serverWithMail(server.url, options)] : [];
    await Promise.all(
      Array.from({ length: mails }, (_, at) => queue([first, ...others][at % 2] ?? first, { text: `${at}` })),
    );
    await mailsArrive(server, mails);
    const ids = server.received.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(new Set(ids).size).toBe(mails);
  });

  it("waits while the mail server is not available, and is sent when the server is available again", async () => {
    const before = await startMailServer();
    await before.close();
    const service = await serverWithMail(before.url, { engine });
    const id = await queue(service);
    await mailBecomes(service, id, {
      status: "waiting",
      lastError: "The mail server cannot be used (ESOCKET)",
    });
    const back = await startMailServer({}, before.port);
    await afterWaiting(service, hour);
    await mailsArrive(back, 1);
    await mailBecomes(service, id, { status: "sent", lastError: null });
  });

  it("is deleted after three days without success", async () => {
    const server = await startMailServer({
      onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }),
    });
    const service = await serverWithMail(server.url, { engine });
    const id = await queue(service);
    await mailBecomes(service, id, {
      status: "waiting",
      lastError: "The mail server answered: 451 4.7.1 Try again later",
    });
    await afterWaiting(service, 73 * hour);
    await mailBecomes(service, id, { status: "failed", content: null });
  });

  it("is not sent if it is no longer useful", async () => {
    const before = await startMailServer();
    await before.close();
    const service = await serverWithMail(before.url, { engine });
    const id = await queue(service, { sendBefore: new Date(service.clock.now().getTime() + hour) });
    await mailBecomes(service, id, {
      status: "waiting",
      lastError: expect.stringContaining("cannot be used"),
    });
    const back = await startMailServer({}, before.port);
    await afterWaiting(service, 2 * hour);
    await mailBecomes(service, id, { status: "failed", lastError: "It could not be sent in time" });
    expect(back.received).toEqual([]);
  });
});

describe("a mail server", () => {
  it("that refuses temporarily gets the same mail again with the same Message-ID", async () => {
    const refusals = [{ code: 450, text: "4.2.0 Greylisted" }];
    const tried: string[] = [];
    const server = await startMailServer({
      onMail({ raw }) {
        tried.push(/^Message-ID: (.*)$/im.exec(raw)?.[1] ?? "");
        return refusals.shift();
      },
    });
    const service = await serverWithMail(server.url);
    const id = await queue(service);
    await mailBecomes(service, id, {
      status: "waiting",
      attempts: 1,
      lastError: expect.stringContaining("450"),
    });
    await afterWaiting(service, hour);
    await mailBecomes(service, id, { status: "sent", attempts: 2 });
    expect(tried).toEqual([`<${id}@larder.example>`, `<${id}@larder.example>`]);
  });

  it.each([
    { code: 550, text: "5.1.1 No such user", status: "bounced" },
    { code: 554, text: "5.7.1 Looks like spam", status: "failed" },
    { code: 552, text: "Mailbox full", status: "failed" },
  ])(
    "that refuses permanently with $code $text does not get the mail again, whose state is $status",
    async ({ status, ...refusal }) => {
      const server = await startMailServer({ onRecipient: () => refusal });
      const service = await serverWithMail(server.url);
      const id = await queue(service);
      const lastError = `The mail server answered: ${refusal.code} ${refusal.text}`;
      await mailBecomes(service, id, { status, lastError, content: null });
    },
  );

  it("that refuses one address delays no other mail", async () => {
    const server = await startMailServer({
      onRecipient: (address) => (address.startsWith("no") ? { code: 550, text: "5.1.1 No" } : undefined),
    });
    const service = await serverWithMail(server.url);
    const refused = await queue(service, { to: "no@kitchen.example" });
    const sent = await queue(service);
    await mailBecomes(service, refused, { status: "bounced" });
    await mailBecomes(service, sent, { status: "sent" });
  });

  it("that ends the connection because of one recipient delays no other mail", async () => {
    const server = await startMailServer({
      onRecipient: (address) =>
        address.startsWith("bad") ? { code: 421, text: "4.7.0 Try again later" } : undefined,
    });
    const service = await serverWithMail(server.url);
    const mail = { kind: "invitation", subject: "You are invited", text: "Come in." } as const;
    const bad = await service.deps.database.write(async (tx) => {
      await queueMail(service.deps, tx, { ...mail, to: "ada@kitchen.example" });
      return queueMail(service.deps, tx, { ...mail, to: "bad@kitchen.example" });
    });
    // Next to a mail that is accepted, it delays nothing at all.
    await mailsArrive(server, 1);
    await queue(service);
    await mailsArrive(server, 2);
    /** Waits until the mail was tried so often. */
    const wasTried = (attempts: number) =>
      eventually(() => expect(service.logged().split('"mail not sent"')).toHaveLength(attempts + 1));
    // Its own pauses grow, and each attempt counts.
    for (const attempts of [1, 2, 3, 4, 5]) {
      await wasTried(attempts);
      await afterWaiting(service, 10 * 60_000);
    }
    await wasTried(6);
    const error = expect.stringContaining("421 4.7.0");
    expect(await mailRow(service, bad)).toMatchObject({ status: "waiting", attempts: 6, lastError: error });
    const good = await queue(service);
    await afterWaiting(service, 10_000);
    await mailBecomes(service, good, { status: "sent" });
    await afterWaiting(service, 73 * hour);
    await mailBecomes(service, bad, { status: "failed" });
    expect(service.logged()).not.toContain("the mail server cannot be used");
  });
});

describe("a server without a mail server", () => {
  it("queues no mail", async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    expect(await queue(service)).toBeUndefined();
    expect(service.logged()).toContain("INNKEEP_SMTP_URL is not set, so no mail is sent");
  });

  it("stores mails and does not send them with --dev", async () => {
    const service = await startService({ settings: { dev: true } });
    onTestFinished(() => service.stop());
    const id = await queue(service);
    await mailBecomes(service, id, { status: "sent", content: expect.stringMatching(/^sealed:/) });
  });
});
