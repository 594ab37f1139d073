import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { queueMail } from "../../../../server/mail/outgoing/queue.ts";
import { createNewId, createSealer } from "../../../../server/secrets/secrets.ts";
import { readSettings } from "../../../../server/settings/read-settings.ts";
import type { TestDatabase } from "../../../support/database/databases.ts";
import { sqlite } from "../../../support/database/databases.ts";
import { startMailServer } from "../../../support/mail/mail-server.ts";
import { type ChildProgram, childProgram } from "../../../support/programs/child-program.ts";
import { rounds } from "../../../support/torture.ts";

const secret = "s".repeat(32);
const mails = rounds(60, 10_000);
const kills = rounds(4, 200);

let sender: ChildProgram;
beforeAll(async () => {
  sender = await childProgram(join(import.meta.dirname, "../../../support/programs/mail-sender.ts"));
});
afterAll(() => sender.remove());

/** Queues all mails. Returns their ids. */
async function queueAll(place: TestDatabase, environment: Record<string, string>): Promise<string[]> {
  const newId = createNewId();
  const clock = { now: () => new Date(), steadyMs: () => performance.now(), offsetMs: 0 };
  const deps = {
    settings: readSettings({ port: 0 }, environment),
    sealer: createSealer(secret),
    newId,
    clock,
  };
  const mail = { kind: "invitation", to: "ada@kitchen.example", subject: "Come", text: "in" } as const;
  const database = await place.open();
  const ids = await database.write(async (tx) => {
    const queued: string[] = [];
    for (let count = 0; count < mails; count++) queued.push((await queueMail(deps, tx, mail)) ?? "");
    return queued;
  }, "long");
  await database.close();
  return ids;
}

/** Mails that a killed server had reserved are due again. */
async function letTimePass(place: TestDatabase): Promise<number> {
  const database = await place.open();
  await database.write((tx) => tx.run("UPDATE mails SET due_at = created_at WHERE status = 'waiting'"));
  const row = await database.get<{ count: number }>(
    "SELECT count(*) AS count FROM mails WHERE status = 'waiting'",
  );
  await database.close();
  return Number(row?.count);
}

it(`all of ${mails} mails arrive even if the server is killed ${kills} times during the sending`, {
  timeout: 1_800_000,
}, async () => {
  const place = await sqlite.create();
  onTestFinished(() => place.remove());
  let arrived = () => {};
  const server = await startMailServer({ onMail: () => void arrived() });
  const environment = { INNKEEP_SMTP_URL: server.url, INNKEEP_MAIL_FROM: "feedback@larder.example" };
  const ids = await queueAll(place, environment);
  const start = () =>
    sender.start({ SENDER: JSON.stringify({ address: place.address, environment, secret }) });
  for (let kill = 0; kill < kills; kill++) {
    const running = start();
    // The server is killed during a mail: after the mail was received and before it is accepted.
    let left = 1 + (kill % 7);
    await new Promise<void>((resolve) => {
      arrived = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
    await running.kill();
    if ((await letTimePass(place)) < 20) break;
  }
  const last = start();
  const idOf = (raw: string) => /^Message-ID: <(.*)@/im.exec(raw)?.[1];
  await vi.waitFor(() => expect(new Set(server.received.map(({ raw }) => idOf(raw)))).toEqual(new Set(ids)), {
    timeout: rounds(120_000, 1_200_000),
    interval: rounds(50, 2_000),
  });
  await last.kill();
  process.stdout.write(`${mails} mails in ${server.received.length} sendings\n`);
  expect(server.received.length).toBeGreaterThanOrEqual(mails);
});
