import { createServer, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { mostTries, nextTry } from "../../server/webhooks/endpoints/rules.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { startReceiver } from "../support/network/event-receiver.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const hour = 3_600_000;
const secret = "the secret that two servers share";

describe("the attempts to deliver a webhook", () => {
  it("are ten in 75 hours, with increasing pauses", () => {
    const start = new Date("2026-11-21T09:30:00.000Z");
    const times = [start];
    for (let tries = 1; ; tries += 1) {
      const next = nextTry(tries, times.at(-1) ?? start);
      if (!next) break;
      times.push(next);
    }
    expect(times).toHaveLength(10);
    expect(mostTries).toBe(10);
    const pauses = times.slice(1).map((time, at) => time.getTime() - (times[at]?.getTime() ?? 0));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    const whole = (times.at(-1)?.getTime() ?? 0) - start.getTime();
    expect(whole / hour).toBeGreaterThan(74);
    expect(whole / hour).toBeLessThanOrEqual(75);
  });
});

/** A host that accepts connections and never answers. */
async function startDeadHost(): Promise<{ readonly url: string; readonly connections: Set<Socket> }> {
  const connections = new Set<Socket>();
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    connections.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, connections };
}

/** A host that keeps each request until the test answers it. */
async function startSlowHost(): Promise<{ readonly url: string; readonly open: ServerResponse[] }> {
  const open: ServerResponse[] = [];
  const server = createServer((_, response) => void open.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, open };
}

/** A host that answers each request with 101. */
async function startChangingHost(): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
}

describe.each(databases)("deliveries to webhooks on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, secret, settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  const passTime = async (milliseconds: number) => {
    service.clock.advance(milliseconds);
    await service.deps.database.write(async (tx) => tx.signal("*"));
  };

  it("to an address that does not answer do not delay deliveries to other addresses", async () => {
    const team = await makeTeam(service);
    const dead = await startDeadHost();
    const receiver = await startReceiver();
    for (let count = 0; count < 10; count += 1)
      await team.call("POST", `${team.at}/webhooks`, { url: dead.url });
    const alive = await team.call("POST", `${team.at}/webhooks`, { url: receiver.url });
    for (let count = 0; count < 30; count += 1) await sendFeedback(service, team.app.key);
    await eventually(() => expect(receiver.received).toHaveLength(30));
    // None of the other deliveries has been given up yet, so this one did not wait for them.
    await eventually(() => expect(dead.connections.size).toBeGreaterThanOrEqual(10));
    const rows = await service.deps.database.all(
      `SELECT 1 AS one FROM webhook_deliveries
       WHERE app_id = ? AND webhook_id <> ? AND status = 'waiting' AND attempts = '[]'`,
      team.app.id,
      alive.field("id"),
    );
    expect(rows).toHaveLength(300);
  });

  it("end after the tenth attempt, and the log has all attempts", async () => {
    const team = await makeTeam(service);
    const receiver = await startReceiver();
    receiver.answers.push(...Array.from({ length: 20 }, () => 500));
    const made = await team.call("POST", `${team.at}/webhooks`, { url: receiver.url });
    await sendFeedback(service, team.app.key);
    const log = async () =>
      Object((await team.call("GET", `${team.at}/webhooks/${made.field("id")}/deliveries`)).body).items[0];
    for (let tries = 1; tries <= mostTries; tries += 1) {
      await eventually(async () => expect((await log()).attempts).toHaveLength(tries));
      if (tries < mostTries) await passTime(24 * hour);
    }
    expect(await log()).toMatchObject({ status: "failed", nextAt: null });
    await passTime(24 * hour);
    expect(receiver.received).toHaveLength(mostTries);
    expect(service.logged()).toContain("not delivered");
  });

  it("to an address that changes to another protocol are tried again, and do not prevent the stop of the server", async () => {
    const own = await startService({ engine, secret, settings: { privateWebhooks: true } });
    const team = await makeTeam(own);
    const url = await startChangingHost();
    const made = await team.call("POST", `${team.at}/webhooks`, { url });
    await sendFeedback(own, team.app.key);
    await eventually(async () => {
      const at = `${team.at}/webhooks/${made.field("id")}/deliveries`;
      const [delivery] = Object((await team.call("GET", at)).body).items;
      expect(delivery).toMatchObject({ status: "waiting", attempts: [{ status: null }] });
    });
    await own.stop();
  });

  it("continue if the old address answers 410 after the address was changed", async () => {
    const team = await makeTeam(service);
    const old = await startSlowHost();
    const receiver = await startReceiver();
    const made = await team.call("POST", `${team.at}/webhooks`, { url: old.url });
    const at = `${team.at}/webhooks/${made.field("id")}`;
    await sendFeedback(service, team.app.key);
    await eventually(() => expect(old.open).toHaveLength(1));
    await team.call("PATCH", at, { url: receiver.url });
    old.open[0]?.writeHead(410).end();
    const log = async () => Object((await team.call("GET", `${at}/deliveries`)).body).items[0];
    await eventually(async () => expect((await log()).attempts).toHaveLength(1));
    await passTime(hour);
    await eventually(() => expect(receiver.received).toHaveLength(1));
  });

  it("keep no address that was erased during an attempt", async () => {
    const team = await makeTeam(service);
    const slow = await startSlowHost();
    const made = await team.call("POST", `${team.at}/webhooks`, { url: slow.url });
    await sendFeedback(service, team.app.key);
    const attempts = async () => {
      const { body } = await team.call("GET", `${team.at}/webhooks/${made.field("id")}/deliveries`);
      return Object(body).items[0].attempts;
    };
    await eventually(() => expect(slow.open).toHaveLength(1));
    slow.open[0]?.writeHead(500).end("unknown: grace@hopper.example");
    await eventually(async () => expect(await attempts()).toHaveLength(1));
    await passTime(hour);
    await eventually(() => expect(slow.open).toHaveLength(2));
    const erased = await team.call("POST", "/people/erase", { email: "grace@hopper.example" });
    await eventually(async () => {
      const receipt = await team.call("GET", `/people/erasures/${erased.field("id")}`);
      expect(receipt.field("status")).toBe("done");
    });
    slow.open[1]?.writeHead(500).end("later");
    await eventually(async () => expect(await attempts()).toHaveLength(2));
    expect((await attempts()).map(({ answer }: { answer: string }) => answer).toSorted()).toEqual([
      ...["later", "unknown: [erased]"],
    ]);
  });

  it("are made once for each event, even if two servers share the database", async () => {
    const traits = { engine, secret, settings: { privateWebhooks: true } };
    const one = await startService(traits);
    onTestFinished(() => one.stop());
    const two = await startService({ ...traits, database: one.database });
    onTestFinished(() => two.stop());
    const team = await makeTeam(one);
    const receiver = await startReceiver();
    await team.call("POST", `${team.at}/webhooks`, { url: receiver.url });
    const threads = [];
    for (let count = 0; count < 60; count += 1)
      threads.push(await sendFeedback(count % 2 === 0 ? one : two, team.app.key));
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(60));
    const told = receiver.received.map(({ data }) => String(data.feedbackId));
    expect(told.toSorted()).toEqual(threads.toSorted());
  });
});
