import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { sqlite, type TestDatabase } from "../../../support/database/databases.ts";
import { png } from "../../../support/files/sample-files.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { type AppWithSenders, makeAppWithSenders } from "../../../support/mail/app-with-senders.ts";
import { hasDovecot, startMailbox } from "../../../support/mail/dovecot.ts";
import { type MailServer, startMailServer } from "../../../support/mail/mail-server.ts";
import { mailsArrive, sender } from "../../../support/mail/server-with-mail.ts";
import { type ChildProgram, childProgram } from "../../../support/programs/child-program.ts";
import { randomFrom, runSeed } from "../../../support/random-seed.ts";
import { startService } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";

const secret = "s".repeat(32);
/** There are fewer answers to each report than a sender may write in an hour. */
const answersEach = 15;
const senders = rounds(4, 120);
const kills = rounds(5, 200);
const steps = ["fetched", "claimed", "stored"];

let reader: ChildProgram;
beforeAll(async () => {
  reader = await childProgram(join(import.meta.dirname, "../../../support/programs/mail-reader.ts"));
});
afterAll(() => reader.remove());

/** Some senders have got a reply by mail. Returns their threads and the addresses to which they answer. */
async function replyToAll(app: AppWithSenders, smtp: MailServer) {
  const threads: string[] = [];
  for (let count = 0; count < senders; count++) {
    const report = await app.report({ email: `cook${count}@kitchen.example`, message: `Oven ${count}` });
    threads.push(report.field("id"));
    await app.reply(report.field("id"));
  }
  await mailsArrive(smtp, senders);
  const addresses = smtp.received.map(({ raw }) => /^Reply-To: (\S+)\s*$/im.exec(raw)?.[1] ?? "none");
  return { threads, addresses };
}

/** A mail with a picture that feedback accepts. */
const mailOf = (to: string, text: string): string =>
  [
    "From: cook@kitchen.example",
    `To: ${to}`,
    `Message-ID: <${text}@kitchen.example>`,
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    ...["--b", "Content-Type: text/plain", "", text],
    ...["--b", "Content-Type: image/png", "Content-Transfer-Encoding: base64", ""],
    png().bytes.toString("base64"),
    "--b--",
  ].join("\r\n");

/** The number of answers in the database. */
async function answersIn(place: TestDatabase): Promise<number> {
  const database = await place.open();
  const sql = "SELECT count(*) AS count FROM messages WHERE direction = 'inbound'";
  const row = await database.get<{ count: number }>(sql);
  await database.close();
  return Number(row?.count);
}

describe.runIf(hasDovecot)("incoming mail (needs Dovecot, which .ci/run installs, and root)", () => {
  it(`is stored once for each of ${senders * answersEach} answers even if the server is killed ${kills} times during the reading`, {
    timeout: 3_600_000,
  }, async () => {
    const place = await sqlite.create();
    onTestFinished(() => place.remove());
    const [smtp, mailbox, data] = [await startMailServer(), await startMailbox(), await temporaryFolder()];
    const sending = { INNKEEP_SMTP_URL: smtp.url, INNKEEP_MAIL_FROM: sender };
    const environment = { ...sending, INNKEEP_IMAP_URL: mailbox.url };
    const before = await startService({ database: place, secret, environment, settings: { data } });
    const app = await makeAppWithSenders(before);
    const { threads, addresses } = await replyToAll(app, smtp);
    await before.stop();

    const texts: string[] = [];
    const random = randomFrom(runSeed);
    const start = (killAt?: object) =>
      reader.start({
        READER: JSON.stringify({ address: place.address, data, environment, secret, killAt }),
      });
    const deliver = async (until: number) => {
      for (; texts.length < until; texts.push(`answer-${texts.length}`)) {
        const to = addresses[texts.length % senders] ?? "none";
        await mailbox.deliver(mailOf(to, `answer-${texts.length}`));
      }
    };
    for (let kill = 0; kill < kills; kill++) {
      await deliver(Math.ceil(((kill + 1) * senders * answersEach) / kills));
      // The reader is killed at a step of one of the next mails.
      const killAt = { step: steps[kill % steps.length], count: 1 + Math.floor(random() * 5) };
      await start(killAt).ended();
    }
    const last = start();
    await vi.waitFor(async () => expect(await answersIn(place)).toBe(texts.length), {
      timeout: rounds(120_000, 1_200_000),
      interval: 200,
    });
    await last.kill();

    const after = await startService({ database: place, secret, environment: sending, settings: { data } });
    onTestFinished(() => after.stop());
    const answers: { body: string; images: string[] }[] = [];
    for (const id of threads) {
      const { body } = await after.request("GET", `/api/v1/console/feedback/${id}`, { headers: app.person });
      answers.push(...Object(body).messages.filter((each: object) => Object(each).direction === "inbound"));
    }
    expect(answers.map(({ body }) => body).sort()).toEqual([...texts].sort());
    const pictures = answers.flatMap(({ images }) => images.map((url) => new URL(url).pathname));
    expect(pictures).toHaveLength(texts.length);
    for (const path of pictures) expect((await after.request("GET", path)).status).toBe(200);
  });

  it("is given up if it has crashed the server twice, and the next mail is read", {
    timeout: 300_000,
  }, async () => {
    const place = await sqlite.create();
    onTestFinished(() => place.remove());
    const [smtp, mailbox, data] = [await startMailServer(), await startMailbox(), await temporaryFolder()];
    const sending = { INNKEEP_SMTP_URL: smtp.url, INNKEEP_MAIL_FROM: sender };
    const environment = { ...sending, INNKEEP_IMAP_URL: mailbox.url };
    const before = await startService({ database: place, secret, environment, settings: { data } });
    const app = await makeAppWithSenders(before);
    const { addresses } = await replyToAll(app, smtp);
    await before.stop();

    const start = (more: object) =>
      reader.start({
        READER: JSON.stringify({ address: place.address, data, environment, secret, ...more }),
      });
    for (const text of ["hostile", "harmless"]) await mailbox.deliver(mailOf(addresses[0] ?? "none", text));
    for (let kill = 0; kill < 2; kill++) await start({ killAt: { step: "begun", count: 1 } }).ended();
    // Another server could still work on it for a minute.
    const last = start({ ahead: 120_000 });
    await vi.waitFor(async () => expect(await answersIn(place)).toBe(1), { timeout: 120_000, interval: 200 });
    await vi.waitFor(async () => expect(await mailbox.read()).toBe(1), { timeout: 60_000, interval: 100 });
    await last.kill();
    expect(await mailbox.unread()).toBe(1);
  });
});
