import { describe, expect, it, onTestFinished, vi } from "vitest";
import { databases, postgres } from "../../../support/database/databases.ts";
import { patience, startAnswerable } from "../../../support/mail/answerable-reply.ts";
import { hasDovecot } from "../../../support/mail/dovecot.ts";
import { serverWithMail } from "../../../support/mail/server-with-mail.ts";

const secret = "s".repeat(32);

describe.runIf(hasDovecot)("incoming mail (needs Dovecot, which .ci/run installs, and root)", () => {
  it.each(databases)(
    "with an answer is added to its thread on $name without the quotation, and is marked as read",
    async (engine) => {
      const { mailbox, messages, mail, arrive, id, address, server } = await startAnswerable({ engine });
      expect(address).toMatch(/^reply\+[a-z2-7]{42}@larder\.example$/);
      expect(server.received[0]?.from).toBe(address);
      await mailbox.deliver(mail(["Still broken.", "", "On Monday Larder wrote:", "> Fixed in 1.2."]));
      await arrive(1);
      expect(await messages()).toEqual([
        expect.objectContaining({
          direction: "inbound",
          author: "sender",
          body: "Still broken.",
          reportId: id,
        }),
      ]);
      await vi.waitFor(async () => expect(await mailbox.read()).toBe(1), patience);
    },
  );

  it("is accepted if the case of the reply address was changed", async () => {
    const { mailbox, mail, arrive, address } = await startAnswerable();
    await mailbox.deliver(mail(["Upper."], { To: address.toUpperCase() }));
    await mailbox.deliver(mail(["Hidden."], { To: "undisclosed:;", "Delivered-To": address.toUpperCase() }));
    await arrive(2);
  });

  it("is not touched if it is for other people, and is ignored if it is from a program", async () => {
    const { mailbox, messages, mail, arrive, address } = await startAnswerable();
    const forged = address.replace(/\+(.)/, (_, digit: string) => (digit === "a" ? "+b" : "+a"));
    await mailbox.deliver(mail(["For another."], { To: "feedback@larder.example" }));
    const dropped: Record<string, string>[] = [
      { To: forged },
      { "Auto-Submitted": "auto-replied" },
      { Precedence: "bulk" },
      { From: "" },
      { "Return-Path": "<>" },
    ];
    for (const headers of dropped) await mailbox.deliver(mail(["A program."], headers));
    await mailbox.deliver(mail(["A person."], { "X-Auto-Response-Suppress": "DR, OOF, AutoReply" }));
    await arrive(1);
    expect(await messages()).toEqual([expect.objectContaining({ body: "A person." })]);
    await vi.waitFor(async () => expect(await mailbox.read()).toBe(1), patience);
    // People find mails there that are for another address, have a forged token, or were written by a program.
    expect(await mailbox.unread()).toBe(dropped.length + 1);
  });

  it("with an answer from another address gets a mark", async () => {
    const { mailbox, messages, mail, arrive } = await startAnswerable();
    await mailbox.deliver(mail(["It is me."], { From: "eve@evil.example" }));
    await arrive(1);
    expect(await messages()).toEqual([expect.objectContaining({ foreignFrom: "eve@evil.example" })]);
  });

  it("with an answer whose sender the mail server doubts gets a mark", async () => {
    const { mailbox, messages, mail, arrive } = await startAnswerable();
    await mailbox.deliver(mail(["It is me."], { "Authentication-Results": "mx.example; dmarc=fail" }));
    await arrive(1);
    expect(await messages()).toEqual([expect.objectContaining({ foreignFrom: "ada@kitchen.example" })]);
  });

  it("that arrives twice is one answer", async () => {
    const { mailbox, messages, mail, arrive } = await startAnswerable();
    const copy = mail(["Once."], { "Message-ID": "<same@x>" });
    await mailbox.deliver(copy);
    await mailbox.deliver(copy);
    await mailbox.deliver(mail(["Last."]));
    await arrive(2);
    expect((await messages()).map(({ body }: { body: string }) => body)).toEqual(["Once.", "Last."]);
  });

  it("that is a delivery failure changes the state of the reply, and a message about a delay does not", async () => {
    const { mailbox, app, id, mail, messages } = await startAnswerable();
    const report = (action: string, status: string) =>
      mail(
        [
          "--b",
          "Content-Type: text/plain",
          "",
          "Sorry.",
          "--b",
          "Content-Type: message/delivery-status",
          "",
          "Reporting-MTA: dns; mx.example",
          "",
          `Action: ${action}`,
          `Status: ${status}`,
          "--b--",
        ],
        {
          From: "MAILER-DAEMON@mx.example",
          "Content-Type": 'multipart/report; report-type=delivery-status; boundary="b"',
        },
      );
    const state = async () => Object(await app.thread(id)).messages[0].mails[0].status;
    await vi.waitFor(async () => expect(await state()).toBe("sent"), patience);
    await mailbox.deliver(report("delayed", "4.4.1"));
    await mailbox.deliver(report("failed", "5.1.1"));
    await vi.waitFor(async () => expect(await state()).toBe("bounced"), patience);
    expect(await messages()).toEqual([]);
  });

  it("is processed once by several servers with one database", async () => {
    const database = await postgres.create();
    onTestFinished(() => database.remove());
    const { mailbox, messages, mail, arrive, server } = await startAnswerable({ database, secret });
    await serverWithMail(server.url, { database, secret, environment: { INNKEEP_IMAP_URL: mailbox.url } });
    for (let count = 0; count < 15; count++) await mailbox.deliver(mail([`Answer ${count}`]));
    await arrive(15);
    await vi.waitFor(async () => expect(await mailbox.unread()).toBe(0), patience);
    expect(await messages()).toHaveLength(15);
  });
});
