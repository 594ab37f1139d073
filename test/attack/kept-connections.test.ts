import { afterAll, beforeAll, expect, it } from "vitest";
import { hold } from "../support/attackers.ts";
import { connectRaw, headOf } from "../support/raw-connection.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ budgets: { connections: 20 } });
});
afterAll(() => service.stop());

it("a client between two requests keeps its connection while others only connect", async () => {
  const client = await connectRaw(service.baseUrl);
  const head = headOf("GET", "/healthz", {});
  client.write(head);
  expect(await client.read(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /);
  const held = await hold(service.baseUrl, 60, "GET / HTTP/1.1\r\n");
  await expect.poll(() => held.open()).toBeLessThan(20);
  client.write(head);
  const twice = /HTTP[\s\S]+HTTP\/1\.1 200 /;
  expect(await client.read(twice)).toMatch(twice);
  await client.cut();
});
