import { afterAll, beforeAll, expect, it } from "vitest";
import { holdConnections } from "../../support/network/hostile-connections.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ budgets: { connections: 20 } });
});
afterAll(() => service.stop());

it("a client keeps its connection between two requests while others open idle connections", async () => {
  const client = await connectRaw(service.baseUrl);
  const head = headOf("GET", "/healthz", {});
  client.write(head);
  expect(await client.read(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /);
  const held = await holdConnections(service.baseUrl, 60, "GET / HTTP/1.1\r\n");
  await expect.poll(() => held.open()).toBeLessThan(20);
  client.write(head);
  const twice = /HTTP[\s\S]+HTTP\/1\.1 200 /;
  expect(await client.read(twice)).toMatch(twice);
  await client.cut();
});

it("the connection with the oldest last request is closed first, even if all requests arrived before the limit was near", async () => {
  const head = headOf("GET", "/healthz", {});
  const answered = /\r\n\r\n/;
  const clients = await Promise.all(Array.from({ length: 8 }, () => connectRaw(service.baseUrl)));
  // The first connections send the last requests.
  for (const client of [...clients].reverse()) {
    client.write(head);
    expect(await client.read(answered)).toMatch(/^HTTP\/1\.1 200 /);
  }
  const others = await Promise.all(Array.from({ length: 12 }, () => connectRaw(service.baseUrl)));
  for (const other of others) {
    other.write(head);
    expect(await other.read(answered)).toMatch(/^HTTP\/1\.1 200 /);
  }
  const last = clients.at(-1) ?? expect.fail();
  const one = await connectRaw(service.baseUrl);
  one.write(head);
  expect(await one.read(answered)).toMatch(/^HTTP\/1\.1 200 /);
  // Resolves when the connection is closed.
  await last.read();
  const twice = /HTTP[\s\S]+HTTP\/1\.1 200 /;
  for (const client of clients.slice(0, -1)) {
    client.write(head);
    expect(await client.read(twice)).toMatch(twice);
  }
  await Promise.all([...clients, ...others, one].map((client) => client.cut()));
});
