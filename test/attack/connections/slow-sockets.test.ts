import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { descriptorsOf, holdConnections, p99 } from "../../support/network/hostile-connections.ts";
import { connectRaw } from "../../support/network/raw-connection.ts";
import { innkeepServeWithin } from "../../support/programs/built-program.ts";
import { startService } from "../../support/service/service.ts";
import { quietGoal, rounds } from "../../support/torture.ts";

const unfinishedHead = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ";

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

it.each([
  ["a request whose headers never end", unfinishedHead, /^HTTP\/1\.1 503 /],
  ["text that is not HTTP", "hello?\r\n\r\n", /^HTTP\/1\.1 400 /],
])(
  "%s is answered and closed within one second, even if the client does not close its side",
  async (_, bytes, answer) => {
    const service = await startService({ budgets: { headMilliseconds: 300, lingerMilliseconds: 200 } });
    const before = await descriptorsOf(process.pid);
    const held = await holdConnections(service.baseUrl, 20, bytes);
    await expect.poll(held.open).toBe(0);
    for (const received of held.received()) expect(received).toMatch(answer);
    // On the client's side, the sockets are still open.
    await expect.poll(() => descriptorsOf(process.pid)).toBeLessThanOrEqual(before + 20);
    held.release();
    await service.stop();
  },
);

it("a connection that sends nothing is closed without an answer, because a browser may use it later", async () => {
  const service = await startService({ budgets: { headMilliseconds: 300, lingerMilliseconds: 200 } });
  const held = await holdConnections(service.baseUrl, 20, "");
  await expect.poll(held.open).toBe(0);
  expect(new Set(held.received())).toEqual(new Set([""]));
  held.release();
  await service.stop();
});

it("one connection above the limit replaces the connection that has waited longest, and no active connection", async () => {
  const service = await startService({ budgets: { connections: 3 } });
  const device = { deviceId: "00000000-0000-4000-8000-000000000001", challenge: "c".repeat(43), wait: 20 };
  const body = JSON.stringify(device);
  const waiting = await connectRaw(service.baseUrl);
  waiting.write(
    `POST /api/v1/testing/auth/await HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const slow = await holdConnections(service.baseUrl, 1, unfinishedHead);
  const idle = await holdConnections(service.baseUrl, 1, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => idle.received()[0]).toContain("200 OK");
  const third = await holdConnections(service.baseUrl, 1, unfinishedHead);
  await expect.poll(slow.open).toBe(0);
  expect([idle.open(), third.open()]).toEqual([1, 1]);
  await holdConnections(service.baseUrl, 1, unfinishedHead);
  await expect.poll(idle.open).toBe(0);
  expect(third.open()).toBe(1);
  await waiting.cut();
  await service.stop();
});

it("a connection above the limit replaces the oldest slow body if all other connections are busy", async () => {
  const service = await startService({ budgets: { connections: 3 } });
  const slowBody =
    "POST /api/v1/testing/auth/await HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200\r\nExpect: 100-continue\r\n\r\n{";
  const send = async (count: number) => {
    const held = await holdConnections(service.baseUrl, count, slowBody);
    const continued = () => held.received().filter((text) => text.includes("100 Continue")).length;
    await expect.poll(continued).toBe(count);
    return held;
  };
  const oldest = await send(1);
  const others = await send(2);
  const answer = await fetch(`${service.baseUrl}/healthz`, { headers: { connection: "close" } });
  expect(answer.status).toBe(200);
  await expect.poll(oldest.open).toBe(0);
  expect(others.open()).toBe(2);
  others.release();
  await service.stop();
});

it("1,500 slow connections to a server with 1,024 descriptors do not prevent the service for other clients", async () => {
  const argv = ["--data", await temporaryFolder(), "--port", "0"];
  const env = { INNKEEP_BUDGETS: "headMilliseconds=3000" };
  const { ready, child } = await innkeepServeWithin(1_024, argv, env);
  const heads = await holdConnections(ready.baseUrl, 750, unfinishedHead);
  const silent = await holdConnections(ready.baseUrl, 750);

  const times: number[] = [];
  let most = 0;
  for (let n = 0; n < rounds(50, 500); n += 1) {
    times.push(
      await time(async () => {
        const answer = await fetch(`${ready.baseUrl}/readyz`, { headers: { connection: "close" } });
        expect(answer.status).toBe(200);
      }),
    );
    most = Math.max(most, await descriptorsOf(child.pid ?? 0));
  }
  expect(most).toBeLessThan(1_024);
  process.stdout.write(`Beside 1,500 slow connections: p99 ${p99(times).toFixed(0)} ms\n`);
  expect(p99(times)).toBeLessThan(quietGoal(200));
  await expect.poll(() => heads.open() + silent.open()).toBe(0);
  await expect.poll(() => descriptorsOf(child.pid ?? 0)).toBeLessThan(100);
});
