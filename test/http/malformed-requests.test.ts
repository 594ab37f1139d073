import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRaw, headOf } from "../support/network/raw-connection.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

describe("a malformed HTTP request", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const answerTo = async (bytes: string | Buffer) => {
    const connection = await connectRaw(service.baseUrl);
    connection.write(bytes);
    return connection.read();
  };
  const path = "/api/v1/faqs/remote";
  const large = "x".repeat(20_000);

  it.each([
    ["bytes that are not HTTP", "hello?\r\n\r\n"],
    ["bytes of TLS", Buffer.from("16030100f8010000f40303", "hex")],
    ["an unknown method", `FETCH ${path} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["an unknown version", `GET ${path} HTTP/4.0\r\nHost: x\r\n\r\n`],
    ["a header without a name", `GET ${path} HTTP/1.1\r\nHost: x\r\n: secret\r\n\r\n`],
    ["two lengths", headOf("POST", path, { "content-length": "5\r\nContent-Length: 6" })],
    ["no host", `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ["two hosts", `GET ${path} HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n`],
    ["a length and chunks", headOf("POST", path, { "content-length": 5, "transfer-encoding": "chunked" })],
    [
      "an invalid address",
      "GET http://[/api/v1/faqs/remote HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
    [
      "an invalid address, from a browser",
      "GET http://[/console HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n",
    ],
    ["headers that are too large", `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Foo: ${large}\r\n\r\n`],
  ])(
    "is answered with 400 as JSON with error and code, with an id and without details: %s",
    async (_, bytes) => {
      const [head = "", body = ""] = (await answerTo(bytes)).split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(head).toMatch(/\r\nX-Request-Id: \w+/);
      expect(head).toMatch(/\r\nContent-Type: application\/json/);
      expect(JSON.parse(body)).toMatchObject({
        error: expect.any(String),
        code: "bad_request",
        issues: [{ path: "" }],
      });
    },
  );

  it("does not stop the server, and its bytes are not in the log", async () => {
    await answerTo(`GET ${path} HTTP/1.1\r\n: ${cast.key["x-api-key"]}\r\n\r\n`);
    expect(await service.request("GET", path, { headers: cast.key })).toMatchObject({ status: 200 });
    expect(service.logged()).toContain("a request was malformed or incomplete");
    expect(service.logged()).not.toContain(cast.key["x-api-key"]);
  });

  it("is not assumed for a request with an unknown Expect header, which is answered as usual", async () => {
    const answer = await answerTo(
      headOf("GET", path, { ...cast.key, expect: "miracles", connection: "close" }),
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });
});
