import { describe, expect, it } from "vitest";
import type { Content } from "../../src/client/call.ts";
import type { ClientOptions } from "../../src/client/options.ts";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { transports } from "../support/clients/transports.ts";
import { accepts, answers, hangsUp, startRecordingServer } from "../support/network/recording-server.ts";

/** `chunks` of a hundred thousand bytes each. */
const content = (chunks: number, announced = chunks * 100_000): Content => ({
  mediaType: "application/json",
  bytes: announced,
  async *read() {
    for (let at = 0; at < chunks; at += 1) yield at % 2 ? "x".repeat(100_000) : Buffer.alloc(100_000, "y");
  },
});

describe.each(transports)("a body that is created during the sending over %s", (_, transportFor) => {
  const connect = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
    clientWithCredentials(baseUrl, { transport: transportFor(), ...options });

  it("arrives completely, with its length and content type", async () => {
    const { baseUrl, received } = await startRecordingServer(accepts);
    await connect(baseUrl).client.feedback.submit({ content: content(30) });
    const [{ body, headers } = { body: Buffer.alloc(0), headers: {} }] = received;
    expect(body.equals(Buffer.from(("y".repeat(100_000) + "x".repeat(100_000)).repeat(15)))).toBe(true);
    expect(headers).toMatchObject({ "content-length": "3000000", "content-type": "application/json" });
  });

  it("reports its progress up to the end", async () => {
    const { baseUrl } = await startRecordingServer(accepts);
    const told: number[] = [];
    const onProgress = (sent: number, total: number) => void told.push(sent / total);
    await connect(baseUrl).client.feedback.submit({ content: content(10), onProgress });
    expect(told).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  });

  it("starts from the beginning if it is sent again", async () => {
    const { baseUrl, received } = await startRecordingServer(hangsUp, answers(500, {}), accepts);
    await connect(baseUrl).client.feedback.submit({ content: content(3), idempotencyKey: "k" });
    expect(received.map(({ body }) => body.length)).toEqual([300_000, 300_000, 300_000]);
  });

  it.each([250_000, 350_000])(
    "is not accepted if it has %i bytes and not the declared number",
    async (bytes) => {
      const { baseUrl } = await startRecordingServer(accepts);
      const { client } = connect(baseUrl, { attempts: 1 });
      await expect(client.feedback.submit({ content: content(3, bytes) })).rejects.toThrow(
        /The body has|the connection was cut/,
      );
    },
  );

  it("causes its own error as the failure of the call", async () => {
    const { baseUrl } = await startRecordingServer(accepts);
    const failing: Content = {
      ...content(3),
      async *read() {
        yield "x";
        throw new Error("The disk is gone.");
      },
    };
    const { client } = connect(baseUrl, { attempts: 1 });
    await expect(client.feedback.submit({ content: failing })).rejects.toThrow("The disk is gone.");
  });
});
