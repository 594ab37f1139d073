import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import { sender } from "../../support/mail/server-with-mail.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";

const secret = "s".repeat(32);
const requests = rounds(200, 2_000);
const kills = rounds(6, 40);
/** The clock of the killed server is faster than real time by this factor. */
const speed = 300;

let program: ChildProgram;
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, "../../support/programs/notice-sender.ts"));
});
afterAll(() => program.remove());

describe.each(databases)("a server on $name that is killed while it notifies members", (engine) => {
  it(`loses none of ${requests} notices, and repeats a mail only under its Message-ID`, {
    timeout: 1_800_000,
  }, async () => {
    const mailServer = await startMailServer();
    const place = await engine.create();
    onTestFinished(() => place.remove());
    const service = await startService({ database: place, secret });
    const owner = await service.makeUser("ada@kitchen.example");
    await service.deps.database.write((tx) =>
      tx.run("UPDATE users SET email_verified_at = created_at WHERE id = ?", owner.id),
    );
    const apps: string[] = [];
    for (let count = 0; count < 20; count += 1) apps.push((await service.makeApp(owner)).id);
    await service.stop();
    const startedAt = Date.now();
    const environment = { INNKEEP_SMTP_URL: mailServer.url, INNKEEP_MAIL_FROM: sender };
    const start = (from: number) =>
      program.start({
        SENDER: JSON.stringify({
          ...{ address: place.address, environment, secret, apps, start: startedAt, speed },
          ...{ from, until: requests },
        }),
      });
    const acknowledged = new Set<number>();
    const firstMissing = () => {
      let number = 0;
      while (acknowledged.has(number)) number += 1;
      return number;
    };
    const note = (lines: readonly string[]) => {
      for (const line of lines) if (line !== "done") acknowledged.add(Number(line));
    };
    for (let kill = 0; kill < kills; kill += 1) {
      const running = start(firstMissing());
      const wanted = Math.ceil(requests / kills / 2);
      const { lines } = running;
      await eventually(() => expect(lines.length >= wanted || lines.at(-1) === "done").toBe(true));
      const before = mailServer.received.length;
      // Some servers are killed while mails are written and sent.
      if (kill % 2 === 1) await eventually(() => expect(mailServer.received.length).toBeGreaterThan(before));
      await running.kill();
      note(running.lines);
    }
    const last = start(firstMissing());
    onTestFinished(() => last.kill());
    await eventually(() => expect(last.lines.at(-1)).toBe("done"));
    note(last.lines);
    expect(acknowledged.size).toBe(requests);
    // A request that was stored but not confirmed before a kill is repeated with another id.
    const mailsOf = async () => {
      const ids = new Map<string, Set<string>>();
      for (const mail of mailServer.received) {
        const { text = "", messageId = "" } = await parsedMail(mail);
        for (const [request] of text.matchAll(/cycle-\d+-[\w-]+/g))
          ids.set(request, (ids.get(request) ?? new Set()).add(messageId));
      }
      return ids;
    };
    const missing = async () => {
      const sent = new Set([...(await mailsOf()).keys()].map((request) => Number(request.split("-")[1])));
      return [...acknowledged].filter((number) => !sent.has(number));
    };
    await expect.poll(missing, { timeout: 900_000, interval: 1_000 }).toEqual([]);
    const twice = [...(await mailsOf())].filter(([, ids]) => ids.size > 1);
    expect(twice).toEqual([]);
  });
});
