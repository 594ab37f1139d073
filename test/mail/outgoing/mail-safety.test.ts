import { describe, expect, it, onTestFinished } from "vitest";
import { sqlite } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import {
  mailBecomes,
  mailRow,
  mailsArrive,
  queue,
  sender,
  serverWithMail,
} from "../../support/mail/server-with-mail.ts";
import { certificate, certificateKey } from "../../support/network/certificate.ts";
import { startHungServer } from "../../support/network/hung-server.ts";
import { startWebhook } from "../../support/network/webhook.ts";
import { startService } from "../../support/service/service.ts";
import { makeAppWithAgent, propose, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";

const key = { key: certificateKey, cert: certificate };

describe("text of other people in a mail", () => {
  it.each([
    "A\r\nBcc: eve@evil.example",
    "A\nContent-Type: text/html\n\n<b>",
    "A\u2028Bcc: eve@evil.example",
    "A\u0000\u0007\u001b[31m",
    "\u202eA",
    "=?utf-8?Q?A=0D=0ABcc:_eve=40evil.example?=",
    `A${"b".repeat(5_000)}`,
  ])("cannot add a header as subject or name: %j", async (text) => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url);
    await queue(service, { subject: text, fromName: `${text}" <eve@evil.example>, "` });
    await mailsArrive(server, 1);
    const [mail = { from: "", to: [], raw: "" }] = server.received;
    expect(mail.to).toEqual(["ada@kitchen.example"]);
    const { headers, from, subject = "", html } = await parsedMail(mail);
    const names = headers.map(({ key: name }) => name).sort();
    const plain = ["content-transfer-encoding", "content-type", "date", "from", "message-id", "mime-version"];
    expect(names).toEqual([...plain, "subject", "to"]);
    expect(from).toMatchObject({ address: "feedback@larder.example" });
    expect(html).toBeUndefined();
    expect(subject.length).toBeLessThan(250);
  });

  it.each([
    "ada@kitchen.example, eve@evil.example",
    "ada@kitchen.example\r\nRCPT TO:<eve@evil.example>",
    "Ada <ada@kitchen.example>",
    '"ada b"@kitchen.example',
    "ada@kitchen",
    "@kitchen.example",
    "call me",
    "",
  ])("is accepted as an address only if it is one plain address, not %j", async (to) => {
    const service = await serverWithMail("smtp://127.0.0.1:9?tls=off");
    expect(await queue(service, { to })).toBeUndefined();
  });
});

describe("the encryption to the mail server", () => {
  it("is required unless the address of the mail server says otherwise", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(`smtp://127.0.0.1:${server.port}`);
    const id = await queue(service);
    const lastError = expect.stringContaining("offers no encryption");
    await mailBecomes(service, id, { status: "waiting", lastError });
    expect(server.received).toEqual([]);
  });

  it.each([
    { scheme: "smtp", secure: false },
    { scheme: "smtps", secure: true },
  ])("with $scheme needs a trusted certificate", async ({ scheme, secure }) => {
    const server = await startMailServer({ tls: { ...key, secure } });
    const service = await serverWithMail(`${scheme}://127.0.0.1:${server.port}`);
    const id = await queue(service);
    await mailBecomes(service, id, {
      status: "waiting",
      lastError: expect.stringMatching(/cannot be used|encryption/),
    });
    expect(server.received).toEqual([]);
  });

  it.each([
    { scheme: "smtp", secure: false },
    { scheme: "smtps", secure: true },
  ])(
    "with $scheme accepts every certificate if the setting is tls=unverified",
    async ({ scheme, secure }) => {
      const server = await startMailServer({ tls: { ...key, secure } });
      const service = await serverWithMail(`${scheme}://127.0.0.1:${server.port}?tls=unverified`);
      await queue(service);
      await mailsArrive(server, 1);
    },
  );
});

describe("the name and the password of the mail server", () => {
  const account = { user: "larder@mail", password: "pass:word/1" };
  const at = (port: number, password: string) =>
    `smtp://${encodeURIComponent(account.user)}:${encodeURIComponent(password)}@127.0.0.1:${port}?tls=off`;

  it("are taken from the address of the mail server", async () => {
    const server = await startMailServer({ account });
    await queue(await serverWithMail(at(server.port, account.password)));
    await mailsArrive(server, 1);
  });

  it("are in no log and no state if they are wrong, and the mails wait", async () => {
    const server = await startMailServer({ account });
    const service = await serverWithMail(at(server.port, "a-wrong-password"));
    const id = await queue(service);
    const lastError = "The mail server refuses the name or the password: 535 5.7.8 Authentication failed";
    await mailBecomes(service, id, { status: "waiting", attempts: 0, lastError });
    expect(service.logged()).toContain("the mail server cannot be used");
    expect(service.logged()).not.toContain("a-wrong-password");
  });

  it.each([
    "smtp://ada:hunter2@",
    "http://ada:hunter2@mail.example",
    "smtp://ada:hunter2@mail.example/box",
    "smtp://ada:hunter2@mail.example?tls=maybe",
    "smtps://ada:hunter2@mail.example?tls=off",
    "smtp://ada:%zz-hunter2@mail.example",
    "hunter2",
  ])("are not repeated in the error about a wrong setting: %s", async (url) => {
    const started = startService({ environment: { INNKEEP_SMTP_URL: url, INNKEEP_MAIL_FROM: sender } });
    const error = await started.catch((fault: Error) => fault);
    expect(String(error)).toContain("INNKEEP_SMTP_URL must be");
    expect(String(error)).not.toContain("hunter2");
  });

  it.each(["", "Larder", "a@b.example, c@d.example"])(
    "need a sender address, and it cannot be %j",
    async (from) => {
      const environment = { INNKEEP_SMTP_URL: "smtp://mail.example", INNKEEP_MAIL_FROM: from };
      await expect(startService({ environment })).rejects.toThrow("INNKEEP_MAIL_FROM must be");
    },
  );
});

describe("a mail server that does not answer", () => {
  it("delays no request and no chat message, and delays the stop of the server only by a few seconds", {
    timeout: 120_000,
  }, async () => {
    const { port, connections } = await startHungServer();
    const webhook = await startWebhook();
    const environment = {
      INNKEEP_SMTP_URL: `smtp://127.0.0.1:${port}?tls=off`,
      INNKEEP_MAIL_FROM: sender,
      INNKEEP_IMAP_URL: `imap://ada:hunter2@127.0.0.1:${port}?tls=off`,
    };
    const database = await sqlite.create();
    onTestFinished(() => database.remove());
    const service = await startService({ database, environment, settings: { privateWebhooks: true } });
    const id = await queue(service);
    await mailBecomes(service, id, { status: "waiting", attempts: 1 });
    // There is one connection for each queue at the start, one for the mail, and one for the mailbox. None of them gets an answer.
    await eventually(() => expect(connections()).toBeGreaterThanOrEqual(3));
    const cast = await makeAppWithAgent(service, { chatWebhookUrl: webhook.url });
    await propose(service, cast, await submitFeedback(service, cast));
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(await mailRow(service, id)).toMatchObject({ status: "waiting", attempts: 1 });
    await service.stop();
    const reader = await database.open();
    const row = await reader.get("SELECT status, attempts FROM mails WHERE id = ?", id ?? "");
    expect(row).toMatchObject({ status: "waiting", attempts: 0 });
  });

  it("to a mail delays no mail of the other queue", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    const server = await startMailServer({
      onMail: async ({ raw }) => (raw.includes("Slow") ? held.then(() => undefined) : undefined),
    });
    const service = await serverWithMail(server.url);
    await Promise.all(Array.from({ length: 12 }, () => queue(service, { kind: "release", subject: "Slow" })));
    const id = await queue(service, { kind: "recovery", subject: "Quick" });
    await mailBecomes(service, id, { status: "sent" });
    expect(server.received).toHaveLength(1);
    release();
    await mailsArrive(server, 13);
  });
});
