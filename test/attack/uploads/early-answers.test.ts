import { afterAll, beforeAll, expect, it } from "vitest";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it.each([
  ["200 with its length", {}, /^HTTP\/1\.1 200 [\s\S]*\r\nContent-Length: 2\r\n[\s\S]*\r\n\r\n\[\]$/],
  ["304 without a length", { "If-None-Match": "*" }, /^HTTP\/1\.1 304 (?![\s\S]*Content-Length)/],
])(
  "a GET request whose body has not arrived completely is answered with %s",
  async (_, condition, expected) => {
    const { key } = await service.makeApp();
    const connection = await connectRaw(service.baseUrl);
    const head = { "x-api-key": key, "Content-Length": 1_000, ...condition };
    connection.write(headOf("GET", "/api/v1/faqs/remote", head));
    expect(await connection.read(expected)).toMatch(expected);
    await connection.cut();
  },
);
