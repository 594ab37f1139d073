import { describe, expect, it, vi } from "vitest";
import { dataUrl, pdf, png } from "../../../support/files/sample-files.ts";
import { patience, startAnswerable } from "../../../support/mail/answerable-reply.ts";
import { hasDovecot } from "../../../support/mail/dovecot.ts";

/** Headers with characters that a database cannot store, and with far too many. */
const unstorable: Record<string, string>[] = [
  { From: "=?utf-8?Q?a=00b?= <a\0b@kitchen.example>" },
  { From: "=?utf-8?B?AO2ggA==?=@kitchen.example" },
  { From: `${"a".repeat(100_000)}@kitchen.example` },
  { From: "ada@kitchen.example\uFFFE\uFFFF" },
  { "Message-ID": "<\0@x>" },
  { "Message-ID": `<${"m".repeat(100_000)}@x>` },
  { Subject: "=?utf-8?B?AAAA?=" },
];

describe.runIf(hasDovecot)("incoming mail (needs Dovecot, which .ci/run installs, and root)", () => {
  it("accepts attachments by the rules of feedback", async () => {
    const { mailbox, messages, mail, arrive, app, id } = await startAnswerable();
    const file = (name: string, bytes: Buffer, type: string) => [
      "--b",
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      "Content-Transfer-Encoding: base64",
      "",
      ...(bytes.toString("base64").match(/.{1,76}/g) ?? []),
    ];
    const bytesOf = (url: string) => Buffer.from(url.split(",")[1] ?? "", "base64");
    await mailbox.deliver(
      mail(
        [
          ...["--b", "Content-Type: text/plain", "", "See the files."],
          ...file("a.png", bytesOf(dataUrl(png())), "image/png"),
          ...file("b.pdf", bytesOf(dataUrl(pdf())), "application/octet-stream"),
          ...file("c.exe", Buffer.from("MZ\0, a program"), "image/png"),
          ...file("crash.log", Buffer.from("E/App: crash at line 3\n"), "text/plain"),
          ...file("data.csv", Buffer.from("a,b\n"), "application/vnd.ms-excel"),
          ...file("mail.eml", Buffer.from("Subject: Hello\n"), "message/rfc822"),
          "--b--",
        ],
        { "Content-Type": 'multipart/mixed; boundary="b"' },
      ),
    );
    await arrive(1);
    const [answer] = await messages();
    expect(answer).toMatchObject({
      body: "See the files.\n\n(Attachments that were not kept: c.exe, mail.eml)",
      images: [expect.stringMatching(/\/uploads\/.*\.png$/)],
      attachments: ["b.pdf", "crash.log.pdf", "data.csv.pdf"].map((name) => ({
        name,
        mediaType: "application/pdf",
      })),
    });
    expect((await fetch(answer.images[0])).status).toBe(200);
    const link = await app.console("POST", `/feedback/${id}/status-link`, {});
    const page = await (await fetch(link.field("statusUrl"))).text();
    for (const shown of ["b.pdf", "crash.log.pdf", new URL(answer.images[0]).pathname])
      expect(page).toContain(shown);
  });

  it("accepts or refuses very large and broken mails, and continues", async () => {
    const { mailbox, messages, mail, address } = await startAnswerable();
    const nested = Array.from({ length: 300 }, (_, at) => [
      `Content-Type: multipart/mixed; boundary="b${at}"`,
      "",
      `--b${at}`,
    ]).flat();
    await mailbox.deliver(mail(nested, { "Content-Type": 'multipart/mixed; boundary="b"' }));
    await mailbox.deliver(Buffer.concat([Buffer.from(`To: ${address}\r\n`), Buffer.alloc(100_000, 0xff)]));
    await mailbox.deliver(
      `To: ${address}\r\nFrom: ada@kitchen.example\r\nContent-Type: text/plain; charset="no-such"\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%%`,
    );
    await mailbox.deliver(mail([`A long text. ${"a".repeat(1_000_000)}`]));
    for (const headers of unstorable) await mailbox.deliver(mail(["Odd."], headers));
    const file = ["--b", "Content-Type: image/png; name*=utf-8''%00%ED%A0%80.png", "", "x", "--b--"];
    await mailbox.deliver(mail(file, { "Content-Type": 'multipart/mixed; boundary="b"' }));
    await mailbox.deliver(mail(["Last."]));
    await vi.waitFor(
      async () => expect((await messages()).map(({ body }: { body: string }) => body)).toContain("Last."),
      patience,
    );
    for (const { body, foreignFrom = "" } of await messages()) {
      expect([...body].length).toBeLessThanOrEqual(10_000);
      expect(foreignFrom.length).toBeLessThanOrEqual(254);
    }
  });

  it("accepts 20 answers an hour", async () => {
    const { mailbox, messages, mail, arrive, service } = await startAnswerable();
    for (let count = 0; count < 24; count++) await mailbox.deliver(mail([`Answer ${count}`]));
    await arrive(20);
    await vi.waitFor(async () => expect(await mailbox.read()).toBe(20), patience);
    expect(await messages()).toHaveLength(20);
    expect(await mailbox.unread()).toBe(4);
    expect(service.logged()).not.toContain("hunter2");
  });

  it("continues, and loses no mail, after the mail server was not available", async () => {
    const { mailbox, messages, mail, arrive } = await startAnswerable();
    await mailbox.deliver(mail(["Before."]));
    await arrive(1);
    await mailbox.stop();
    await mailbox.deliver(mail(["While it was gone."]));
    await mailbox.start();
    await arrive(2);
    expect((await messages()).map(({ body }: { body: string }) => body)).toEqual([
      "Before.",
      "While it was gone.",
    ]);
  });
});
