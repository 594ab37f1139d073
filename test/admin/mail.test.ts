import { describe, expect, it } from "vitest";
import { runAdmin } from "../../server/admin/main.ts";
import { parsedMail, startMailServer } from "../support/mail/mail-server.ts";

const mailFrom = "Larder <feedback@larder.example>";
const to = "ada@kitchen.example";

describe("the command innkeep admin mail test", () => {
  it("sends one mail immediately", async () => {
    const server = await startMailServer();
    const sent = await runAdmin({ command: "mail test", to, smtpUrl: server.url, mailFrom });
    expect(sent).toMatchObject({
      sent: to,
      server: `127.0.0.1:${server.port}`,
      from: "feedback@larder.example",
    });
    const [mail = { raw: "" }] = server.received;
    expect(await parsedMail(mail)).toMatchObject({ subject: "A test of Innkeep", messageId: sent.messageId });
  });

  it("shows the reason why the mail server refuses the mail", async () => {
    const server = await startMailServer({
      onRecipient: () => ({ code: 550, text: "5.7.1 Relaying denied" }),
    });
    const sending = runAdmin({ command: "mail test", to, smtpUrl: server.url, mailFrom });
    await expect(sending).rejects.toThrow("The mail server answered: 550 5.7.1 Relaying denied.");
  });

  it("names the missing setting", async () => {
    const sending = runAdmin({ command: "mail test", to, smtpUrl: undefined, mailFrom });
    await expect(sending).rejects.toThrow("INNKEEP_SMTP_URL must be set");
  });

  it("accepts only one plain address", async () => {
    const sending = runAdmin({ command: "mail test", to: "ada", smtpUrl: "smtp://127.0.0.1:9", mailFrom });
    await expect(sending).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("the mail check of the command innkeep doctor", () => {
  it("sends no mail", async () => {
    const server = await startMailServer();
    const found = await runAdmin({ command: "mail check", smtpUrl: server.url, mailFrom });
    expect(found).toEqual({ server: `127.0.0.1:${server.port}`, from: "feedback@larder.example" });
    expect(server.received).toEqual([]);
  });
});
