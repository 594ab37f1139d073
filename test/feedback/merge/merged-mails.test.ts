import { describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { startMailServer } from "../../support/mail/mail-server.ts";
import { mailsArrive, serverWithMail } from "../../support/mail/server-with-mail.ts";

interface Reply {
  readonly direction: string;
  readonly mails?: readonly { readonly to: string; readonly status: string }[];
  readonly delivery: { readonly mailedTo: readonly string[] };
}

describe.each(databases)("a mailed reply to everyone, after the undoing of a merge, on $name", (engine) => {
  const start = async () => {
    const mailServer = await startMailServer();
    const service = await serverWithMail(mailServer.url, { engine });
    const app = await makeAppWithSenders(service);
    const send = async (email: string, more: object = {}) =>
      (await app.report({ email, message: `It broke for ${email}.`, ...more })).field("id");
    const mailed = async (id: string) => {
      const { messages } = Object(await app.thread(id));
      const replies: Reply[] = messages.filter(({ direction }: Reply) => direction === "outbound");
      return replies.map(({ mails = [], delivery }) => ({
        mails: mails.map(({ to, status }) => `${to}: ${status}`).sort(),
        delivery: [...delivery.mailedTo].sort(),
      }));
    };
    const waitForMails = async (id: string, count: number) => {
      await mailsArrive(mailServer, count);
      await expect.poll(async () => JSON.stringify(await mailed(id))).not.toContain("waiting");
    };
    return { service, app, send, mailed, waitForMails };
  };

  it("is mailed in each thread to the senders of that thread", async () => {
    const { service, app, send, mailed, waitForMails } = await start();
    const [first, pat] = [await send("ada@kitchen.example"), await send("pat@example.com")];
    await app.console("POST", `/feedback/${pat}/merge`, { into: first });
    await app.reply(first, { everyone: true });
    await waitForMails(first, 2);
    await app.console("POST", `/feedback/${pat}/unmerge`);
    const of = (address: string) => [{ mails: [`${address}: sent`], delivery: [address] }];
    expect(await mailed(first)).toEqual(of("ada@kitchen.example"));
    expect(await mailed(pat)).toEqual(of("pat@example.com"));
    const page = await createBrowserWithoutScripts(service, app.person).open(
      `/console/feedback/${app.appId}/${pat}`,
    );
    expect(readingOf(page)).toContain("pat@example.com : mailed");
    expect(readingOf(page)).not.toContain("The reply is only on the sender's page.");
  });

  it("is mailed in both threads to a sender with a report in each", async () => {
    const { app, send, mailed, waitForMails } = await start();
    const [first, again] = [await send("Pat@example.com"), await send("pat@example.com")];
    await app.console("POST", `/feedback/${again}/merge`, { into: first });
    await app.reply(first, { everyone: true });
    await waitForMails(first, 1);
    await app.console("POST", `/feedback/${again}/unmerge`);
    const sent = [{ mails: ["pat@example.com: sent"], delivery: ["pat@example.com"] }];
    expect(await mailed(first)).toEqual(sent);
    expect(await mailed(again)).toEqual(sent);
  });

  it("has its mails at the threads of their reports after a second merge and undoing", async () => {
    const { app, send, mailed, waitForMails } = await start();
    const [first, pat] = [await send("ada@kitchen.example"), await send("pat@example.com")];
    await app.console("POST", `/feedback/${pat}/merge`, { into: first });
    await app.reply(first, { everyone: true });
    await waitForMails(first, 2);
    await app.console("POST", `/feedback/${pat}/unmerge`);
    const apart = [await mailed(first), await mailed(pat)];
    await app.console("POST", `/feedback/${pat}/merge`, { into: first });
    await app.console("POST", `/feedback/${pat}/unmerge`);
    expect([await mailed(first), await mailed(pat)]).toEqual(apart);
  });
});
