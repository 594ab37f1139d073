import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ClientOptions } from "../../src/client/options.ts";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { transports } from "../support/clients/transports.ts";
import { freePort } from "../support/network/free-port.ts";
import { listen } from "../support/network/recording-server.ts";

const once = { attempts: 1 };

describe.each(transports)("a connection over %s", (_, transportFor) => {
  const connect = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
    clientWithCredentials(baseUrl, { transport: transportFor(), ...options });

  it("causes an error with the host and without the path if it is refused", async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await expect(connect(baseUrl, once).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
      code: "ECONNREFUSED",
      message: `No answer from ${baseUrl}: no program listens at that address.`,
    });
  });

  it("ends if the server sends nothing", async () => {
    const baseUrl = await listen(() => {});
    await expect(connect(baseUrl, { ...once, timeoutMs: 50 }).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
      code: "timeout",
    });
  });

  it("stays open without data as long as a request for a decision waits", async () => {
    let answer = () => {};
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const baseUrl = await listen(({ url }, response) => {
      if (!url?.includes("/runs/")) return;
      answer = () => void response.end('{"id":"1"}');
      arrive();
    });
    const { client } = connect(baseUrl, { ...once, timeoutMs: 50 });
    const run = client.agent.readRun({ params: { runId: "1" }, query: { wait: "50" } });
    await arrived;
    // A later call ends, because it does not wait.
    await expect(client.faqs.list()).rejects.toMatchObject({ code: "timeout" });
    answer();
    expect(await run).toEqual({ id: "1" });
  });

  it("returns no partial answer if it ends before the end of the answer", async () => {
    const baseUrl = await listen((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[");
      setImmediate(() => response.destroy());
    });
    await expect(connect(baseUrl, once).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
      code: "ECONNRESET",
    });
  });

  it("ends if the caller's signal aborts, with the reason of the signal", async () => {
    const controller = new AbortController();
    const baseUrl = await listen(() => controller.abort(new Error("enough")));
    const { client } = connect(baseUrl);
    await expect(client.faqs.list({ signal: controller.signal })).rejects.toThrow("enough");
  });

  it("is not opened if the signal has already aborted", async () => {
    const { client } = connect("http://127.0.0.1:9");
    await expect(client.faqs.list({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });

  it("is reused by the next call", async () => {
    const ports = new Set<number | undefined>();
    const baseUrl = await listen(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end("[]");
    });
    const { client } = connect(baseUrl);
    for (let calls = 0; calls < 3; calls += 1) await client.faqs.list();
    expect(ports.size).toBe(1);
  });

  it("causes a connection error if the server does not use HTTP", async () => {
    const baseUrl = await speaking("SSH-2.0-OpenSSH_9.9\r\n");
    await expect(connect(baseUrl, once).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
    });
  });

  it("fails as a connection error if the other side changes to another protocol", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    await expect(connect(await speaking(head), once).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
    });
  });

  it("causes an error if the server does not use TLS", async () => {
    const baseUrl = (await listen((_, response) => void response.end("[]"))).replace("http:", "https:");
    await expect(connect(baseUrl, once).client.faqs.list()).rejects.toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("it does not use TLS"),
    });
  });
});

/** The address of a port where nothing listens any more. */
async function speaking(text: string): Promise<string> {
  const server = createServer((socket) => socket.end(text));
  onTestFinished(() => void server.close());
  return opened(server);
}

async function opened(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("No port was given.");
  return `http://127.0.0.1:${address.port}`;
}
