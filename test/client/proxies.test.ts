import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { proxyFor } from "../../src/client/connection.ts";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { answers, listen, startRecordingServer } from "../support/network/recording-server.ts";

const settings = { http: "http://proxy:1", https: "http://proxy:2" };
const through = (address: string, none?: string) => proxyFor(new URL(address), { ...settings, none });

describe("a proxy", () => {
  it("is chosen by the protocol of the server's address", () => {
    expect(through("http://api.example")).toBe("http://proxy:1");
    expect(through("https://api.example")).toBe("http://proxy:2");
  });

  it.each([
    "http://localhost:4700",
    "http://127.0.0.1",
    "http://127.8.8.8",
    "http://[::1]:4700",
    "https://a.localhost",
  ])("is never used for this machine: %s", (address) => {
    expect(through(address)).toBeUndefined();
  });

  it.each([
    ["api.example", undefined],
    ["API.Example", undefined],
    ["example", undefined],
    [".example", undefined],
    ["*.example", undefined],
    ["other, api.example:443", undefined],
    ["*", undefined],
    ["api.example:8443", "http://proxy:2"],
    ["pi.example", "http://proxy:2"],
    ["", "http://proxy:2"],
  ])("is not used for servers that NO_PROXY=%s contains", (none, expected) => {
    expect(through("https://api.example", none)).toBe(expected);
  });

  it("can be written without a protocol", () => {
    expect(proxyFor(new URL("http://api.example"), { http: "proxy:3128" })).toBe("http://proxy:3128");
  });

  it("forwards a request with its credential to a server with http", async () => {
    const asked: (string | undefined)[] = [];
    const proxy = await listen(({ url, headers }, response) => {
      asked.push(url, String(headers["x-api-key"]));
      response.end("[]");
    });
    await clientWithCredentials("http://api.example", { proxy: { http: proxy } }).client.faqs.list();
    expect(asked).toEqual([
      "http://api.example/api/v1/faqs/remote",
      "sdk_ofTheTest000000000000000000000000000",
    ]);
  });

  it("forwards a body that is created during the sending", async () => {
    const { baseUrl: http, received } = await startRecordingServer(answers(201, { success: true }));
    const content = {
      mediaType: "application/json",
      bytes: 4,
      async *read() {
        yield "some";
      },
    };
    await clientWithCredentials("http://api.example", { proxy: { http } }).client.feedback.submit({
      content,
    });
    expect(received.map(({ body }) => body.toString())).toEqual(["some"]);
  });

  it.each([
    ["refuses the tunnel", (socket: Duplex) => void socket.end("HTTP/1.1 403 No\r\n\r\n"), "bad_proxy"],
    [
      "wants a name and a password",
      (socket: Duplex) => void socket.end("HTTP/1.1 407 Who\r\n\r\n"),
      "bad_proxy",
    ],
    ["hangs up", (socket: Duplex) => void socket.destroy(), "ECONNRESET"],
    ["stays silent", () => {}, "timeout"],
  ])("causes an error after a few attempts if it %s for a server with https", async (_, answer, code) => {
    const proxy = await connectProxy(answer);
    const options = {
      proxy: { https: proxy.address },
      attempts: 1,
      timeoutMs: code === "timeout" ? 1_000 : 20_000,
    };
    await expect(
      clientWithCredentials("https://api.example", options).client.faqs.list(),
    ).rejects.toMatchObject({
      name: "ConnectionError",
      code,
    });
    expect(proxy.asked).toEqual(["api.example:443"]);
  });

  it("gets its name and password, and the server does not get them", async () => {
    const heard: unknown[] = [];
    const proxy = await listen(({ headers }, response) => {
      heard.push(headers["proxy-authorization"]);
      response.end("[]");
    });
    const address = proxy.replace("//", "//me:p%40ss@");
    await clientWithCredentials("http://api.example", { proxy: { http: address } }).client.faqs.list();
    expect(heard).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
  });

  it("causes an error without a retry if its address is invalid", async () => {
    const { client, pauses } = clientWithCredentials("http://api.example", {
      proxy: { http: "socks5://proxy:1" },
    });
    await expect(client.faqs.list()).rejects.toMatchObject({ name: "ConnectionError", code: "bad_proxy" });
    expect(pauses).toEqual([]);
  });
});

/** A proxy that answers each CONNECT in this test, and records the requested target. */
async function connectProxy(answer: (socket: Duplex) => void) {
  const asked: (string | undefined)[] = [];
  const server = createServer();
  server.on("connect", ({ url }, socket) => {
    asked.push(url);
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("No port was given.");
  return { asked, address: `http://127.0.0.1:${address.port}` };
}
