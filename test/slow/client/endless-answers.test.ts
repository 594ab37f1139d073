import { describe, expect, it } from "vitest";
import type { ClientOptions } from "../../../src/client/options.ts";
import { clientWithCredentials } from "../../support/clients/client-with-credentials.ts";
import { transports } from "../../support/clients/transports.ts";
import { listen } from "../../support/network/recording-server.ts";

const runId = "0a9b8c7d-0000-4000-8000-00000000000a";

describe.each(transports)("an answer without an end over %s", (_, transportFor) => {
  const connect = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
    clientWithCredentials(baseUrl, { transport: transportFor(), ...options });

  it("is ended after the maximum number of bytes", async () => {
    let sent = 0;
    let closed = false;
    const baseUrl = await listen((_, response) => {
      const chunk = Buffer.alloc(65_536, " ");
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on("drain", more).on("close", () => {
        closed = true;
      });
      more();
    });
    const { client } = connect(baseUrl);
    await expect(client.agent.readRun({ params: { runId } })).rejects.toMatchObject({
      name: "ConnectionError",
      code: "too_large",
      message: expect.stringContaining("is larger than 16 MB"),
    });
    await expect.poll(() => closed).toBe(true);
    expect(sent).toBeLessThan(64 * 1_048_576);
  });

  it("is ended after the time limit if it arrives slowly", async () => {
    let closed = false;
    const baseUrl = await listen((_, response) => {
      const drops = setInterval(() => response.write(" "), 20);
      response.on("close", () => {
        closed = true;
        clearInterval(drops);
      });
    });
    // Four times this value is the limit for the whole answer. Within it the first byte arrives even on a busy machine.
    const { client } = connect(baseUrl, { timeoutMs: 600 });
    await expect(client.agent.readRun({ params: { runId } })).rejects.toMatchObject({
      name: "ConnectionError",
      code: "too_slow",
    });
    await expect.poll(() => closed).toBe(true);
  });

  it("is refused if it is nested deeper than any answer of the API", async () => {
    const nested = (levels: number) =>
      `{"id":"${runId}","status":"[[\\"","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    let levels = 99;
    const baseUrl = await listen((_, response) => void response.end(nested(levels)));
    const { client } = connect(baseUrl);
    expect(await client.agent.readRun({ params: { runId } })).toMatchObject({ status: '[["' });
    for (levels of [100, 1_000_000])
      await expect(client.agent.readRun({ params: { runId } })).rejects.toMatchObject({
        name: "UnexpectedAnswerError",
      });
  });

  it("can be long if the endpoint has long answers", async () => {
    const body = "x".repeat(20 * 1_048_576);
    const baseUrl = await listen((_, response) => {
      response.end(JSON.stringify({ feedback: { id: runId, message: body }, messages: [] }));
    });
    const { client } = connect(baseUrl);
    const thread = await client.agent.readThread({ params: { id: runId } });
    expect(thread.feedback.message).toHaveLength(body.length);
  });

  it("is refused if it is about another run than the requested one", async () => {
    const baseUrl = await listen((_, response) => {
      response.end(JSON.stringify({ id: "0a9b8c7d-0000-4000-8000-0000000000ff", status: "approved" }));
    });
    const { client } = connect(baseUrl);
    await expect(client.agent.readRun({ params: { runId } })).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
    });
  });
});
