import { describe, expect, it } from "vitest";
import { mails } from "../../../server/mail/outgoing/store.ts";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { type MailServerOptions, startMailServer } from "../../support/mail/mail-server.ts";
import { mailsArrive, serverWithMail } from "../../support/mail/server-with-mail.ts";

interface Reply {
  readonly direction: string;
  readonly mails?: readonly { readonly to: string; readonly status: string }[];
  readonly delivery: { readonly mailedTo: readonly string[] };
}

describe.each(databases)("a mailed reply to everyone, after the undoing of a merge, on $name", (engine) => {
  const start = async (options: MailServerOptions = {}) => {
    const mailServer = await startMailServer(options);
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
    return { mailServer, service, app, send, mailed, waitForMails };
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

  describe("that waits, to a sender with a report in each thread,", () => {
    const as = (status: string) => [{ mails: [`pat@example.com: ${status}`], delivery: ["pat@example.com"] }];
    /** The undone merge of two threads of one sender. The mail server accepts no mail before `accept` is called. */
    const undone = async () => {
      let accept = () => {};
      const isAccepting = new Promise<undefined>((resolve) => {
        accept = () => resolve(undefined);
      });
      const { mailServer, service, app, send, mailed } = await start({ onMail: () => isAccepting });
      const [first, again] = [await send("pat@example.com"), await send("pat@example.com")];
      await app.console("POST", `/feedback/${again}/merge`, { into: first });
      await app.reply(first, { everyone: true });
      await app.console("POST", `/feedback/${again}/unmerge`);
      return { mailServer, service, app, mailed, accept, threads: [first, again] };
    };

    it("waits in both threads, and is sent once", async () => {
      const { mailServer, mailed, accept, threads } = await undone();
      for (const id of threads) expect(await mailed(id)).toEqual(as("waiting"));
      accept();
      for (const id of threads) await expect.poll(() => mailed(id)).toEqual(as("sent"));
      expect(mailServer.received).toHaveLength(1);
    });

    it.each([0, 1])("is sent if thread %i is deleted, and the other thread says so", async (deleted) => {
      const { mailServer, app, mailed, accept, threads } = await undone();
      await app.console("DELETE", `/feedback/${threads[deleted]}`);
      const left = threads[1 - deleted] ?? "";
      expect(await mailed(left)).toEqual(as("waiting"));
      accept();
      await expect.poll(() => mailed(left)).toEqual(as("sent"));
      expect(mailServer.received).toHaveLength(1);
    });

    it("has failed in both threads with the same reason if it could not be sent in time", async () => {
      const { service, app, accept, threads } = await undone();
      const { database } = service.deps;
      const [reason, at] = ["The quota is used up", "2199-01-01T00:00:00.000Z"];
      await database.write((tx) =>
        tx.run("UPDATE mails SET last_error = ? WHERE kind = 'reply' AND content IS NOT NULL", reason),
      );
      for (let run = 0; run < 2; run++) await database.write((tx) => mails.expire(tx, at));
      for (const id of threads)
        expect(Object(await app.thread(id)).messages).toMatchObject([
          { mails: [{ status: "failed", reason, settledAt: at }] },
        ]);
      accept();
    });
  });

  it("has failed in both threads if its mail comes back", async () => {
    const { service, app, send, mailed, waitForMails } = await start();
    const [first, again] = [await send("pat@example.com"), await send("pat@example.com")];
    await app.console("POST", `/feedback/${again}/merge`, { into: first });
    await app.reply(first, { everyone: true });
    await waitForMails(first, 1);
    const { database } = service.deps;
    const mail = await database.get<{ id: string }>("SELECT id FROM mails WHERE kind = 'reply'");
    await app.console("POST", `/feedback/${again}/unmerge`);
    const at = service.clock.now().toISOString();
    await database.write((tx) => mails.bounce(tx, mail?.id ?? "", at));
    for (const id of [first, again])
      expect(await mailed(id)).toMatchObject([{ mails: ["pat@example.com: bounced"] }]);
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
