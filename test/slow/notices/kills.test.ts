import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { parsedMail, startMailServer } from "../../support/mail/mail-server.ts";
import { sender } from "../../support/mail/server-with-mail.ts";
import { makeSubscriber, startPushService } from "../../support/network/push-service.ts";
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

describe.each(databases)("a server on $name that is killed during the sending of notices", (engine) => {
  /** A database with the apps of one owner, and a program that sends this owner notices about requests. */
  async function noticedOwner(apps: number, environment: Record<string, string>) {
    const place = await engine.create();
    onTestFinished(() => place.remove());
    const service = await startService({ database: place, secret, settings: { privateWebhooks: true } });
    const owner = await service.makeUser("ada@kitchen.example");
    await service.deps.database.write((tx) =>
      tx.run("UPDATE users SET email_verified_at = created_at WHERE id = ?", owner.id),
    );
    const ids: string[] = [];
    for (let count = 0; count < apps; count += 1) ids.push((await service.makeApp(owner)).id);
    const startedAt = Date.now();
    const start = (from: number) =>
      program.start({
        SENDER: JSON.stringify({
          ...{ address: place.address, environment, secret, apps: ids, start: startedAt, speed },
          ...{ from, until: requests },
        }),
      });
    return { service, owner, start };
  }

  type Start = Awaited<ReturnType<typeof noticedOwner>>["start"];

  /** Kills the program again and again until all requests were made. Returns the numbers of the acknowledged ones. */
  async function killOften(start: Start, received: () => number): Promise<ReadonlySet<number>> {
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
      const before = received();
      // Some servers are killed while notices are written and sent.
      if (kill % 2 === 1) await eventually(() => expect(received()).toBeGreaterThan(before));
      await running.kill();
      note(running.lines);
    }
    const last = start(firstMissing());
    onTestFinished(() => last.kill());
    await eventually(() => expect(last.lines.at(-1)).toBe("done"));
    note(last.lines);
    expect(acknowledged.size).toBe(requests);
    return acknowledged;
  }

  /** Waits until each acknowledged request is among those that were sent. */
  async function expectAll(
    acknowledged: ReadonlySet<number>,
    sent: () => Iterable<string> | Promise<Iterable<string>>,
  ): Promise<void> {
    const missing = async () => {
      const numbers = new Set([...(await sent())].map((request) => Number(request.split("-")[1])));
      return [...acknowledged].filter((number) => !numbers.has(number));
    };
    await expect.poll(missing, { timeout: 900_000, interval: 1_000 }).toEqual([]);
  }

  it(`loses none of ${requests} notices, and sends a mail again only with the same Message-ID`, {
    timeout: 1_800_000,
  }, async () => {
    const mailServer = await startMailServer();
    const environment = { INNKEEP_SMTP_URL: mailServer.url, INNKEEP_MAIL_FROM: sender };
    const { service, start } = await noticedOwner(20, environment);
    await service.stop();
    const acknowledged = await killOften(start, () => mailServer.received.length);
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
    await expectAll(acknowledged, async () => (await mailsOf()).keys());
    const twice = [...(await mailsOf())].filter(([, ids]) => ids.size > 1);
    expect(twice).toEqual([]);
  });

  it(`loses none of ${requests} notices for a browser, and sends one again only with the same topic`, {
    timeout: 1_800_000,
  }, async () => {
    const push = await startPushService();
    // So many apps that a group of notices about one of them never becomes one notice.
    const { service, owner, start } = await noticedOwner(80, { INNKEEP_PRIVATE_WEBHOOKS: "on" });
    const browser = makeSubscriber(push);
    const added = await service.request("POST", "/api/v1/console/me/notices/browsers", {
      headers: await service.signIn(owner),
      body: browser.subscription,
    });
    expect(added.status).toBe(201);
    await service.stop();
    const acknowledged = await killOften(start, () => push.received.length);
    const topicsOf = () => {
      const topics = new Map<string, Set<unknown>>();
      for (const received of push.received) {
        const [request = ""] = /cycle-\d+-[\w-]+/.exec(String(browser.read(received).url)) ?? [];
        topics.set(request, (topics.get(request) ?? new Set()).add(received.headers.topic));
      }
      return topics;
    };
    await expectAll(acknowledged, () => topicsOf().keys());
    expect([...topicsOf()].filter(([request, topics]) => request === "" || topics.size > 1)).toEqual([]);
  });
});
