import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serveStdio } from "../../mcp/stdio.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

const revisionsWith = ["2025-03-26", "2024-11-05"];
const revisionsWithout = ["2025-06-18", "2025-11-25", "2026-07-28"];

const message = (id: unknown, method: string, params?: object) => ({ jsonrpc: "2.0", id, method, params });
const initialize = (protocolVersion: string) =>
  message(0, "initialize", {
    ...{ protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
const call = (id: unknown, name: string, given: object = {}) =>
  message(id, "tools/call", { name, arguments: given });
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const batch = [message(1, "ping"), message("two", "tools/list"), initialized, call(3, "list_feedback")];
const refusal = { jsonrpc: "2.0", id: null, error: { code: -32_600 } };

describe("a JSON array of messages over HTTP", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const post = async (
    body: unknown,
    { revision, accept }: { readonly revision?: string; readonly accept?: string } = {},
  ) => {
    const headers = {
      ...{ ...cast.agent, accept: accept ?? "application/json", "content-type": "application/json" },
      ...(revision !== undefined && { "mcp-protocol-version": revision }),
    };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${service.baseUrl}/mcp`, sent);
    return { status: answer.status, text: await answer.text() };
  };
  const idsIn = (text: string) => new Set(JSON.parse(text).map(({ id }: { id: unknown }) => id));

  it.each([undefined, ...revisionsWith])("is answered with an array in the revision %s", async (revision) => {
    const { status, text } = await post(batch, { ...(revision !== undefined && { revision }) });
    expect({ status, ids: idsIn(text) }).toEqual({ status: 200, ids: new Set([1, "two", 3]) });
  });

  it("of one message is answered with an array", async () => {
    expect(JSON.parse((await post([message(1, "ping")])).text)).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  it("is answered with events if the client accepts events", async () => {
    const { text } = await post(batch, { accept: "application/json, text/event-stream" });
    expect(text.match(/^data: \{/gm)).toHaveLength(3);
  });

  it("of notifications only is accepted without an answer", async () => {
    expect(await post([initialized, initialized])).toEqual({ status: 202, text: "" });
  });

  it("can contain a request that waits", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    const wait = call(2, "get_decision", { run_id: runId, wait_seconds: 1 });
    expect(idsIn((await post([message(1, "ping"), wait])).text)).toEqual(new Set([1, 2]));
  });

  it.each(revisionsWithout)("is refused in the revision %s", async (revision) => {
    const { status, text } = await post(batch, { revision });
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 400, body: refusal });
  });

  it.each<[string, unknown[]]>([
    ["no messages", []],
    ["something that is no message", [7]],
    ["over a hundred messages", Array.from({ length: 101 }, (_, id) => message(id, "ping"))],
    ["the beginning of a session beside others", [initialize("2025-03-26"), message(1, "ping")]],
  ])("with %s is refused", async (_, sent) => {
    const { status, text } = await post(sent);
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 400, body: refusal });
  });

  it("needs a token", async () => {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: "[]" };
    expect((await fetch(`${service.baseUrl}/mcp`, sent)).status).toBe(401);
  });
});

describe("a JSON array of messages over stdio", () => {
  /** A session with a revision of the protocol. It returns the answers to the sent messages. */
  const open = (revision: string) => {
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const exit = serveStdio({ version: "1.2.3", baseUrl: "http://127.0.0.1:9", io });
    let out = "";
    io.stdout.on("data", (chunk) => {
      out += chunk;
    });
    onTestFinished(async () => {
      io.stdin.end();
      await exit;
    });
    const write = (...messages: readonly unknown[]) =>
      io.stdin.write(messages.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const answers = async (count: number): Promise<unknown[]> => {
      const lines = () => out.trim().split("\n");
      await eventually(() => expect(lines()).toHaveLength(count));
      return lines().map((line) => JSON.parse(line));
    };
    write(initialize(revision), initialized);
    return { io, write, answers };
  };

  it.each(revisionsWith)("is answered with an array in the revision %s", async (revision) => {
    const { write, answers } = open(revision);
    write(batch);
    const [, answer] = await answers(2);
    expect(new Set(Array.isArray(answer) ? answer.map(({ id }) => id) : [])).toEqual(new Set([1, "two", 3]));
  });

  it.each(revisionsWithout.slice(0, 2))("is refused in the revision %s", async (revision) => {
    const { write, answers } = open(revision);
    write(batch, message(9, "ping"));
    const [, first, second] = await answers(3);
    expect([first, second]).toMatchObject([refusal, { id: 9, result: {} }]);
  });

  it("can have spaces before it, can arrive in parts, and can be between other lines", async () => {
    const { io, answers } = open("2025-03-26");
    const text = `${JSON.stringify(message(5, "ping"))}\n \t${JSON.stringify([message(6, "ping")])}\r\n`;
    for (const character of text) io.stdin.write(character);
    const given = await answers(3);
    expect(given).toContainEqual({ jsonrpc: "2.0", id: 5, result: {} });
    expect(given).toContainEqual([{ jsonrpc: "2.0", id: 6, result: {} }]);
  });

  it("is answered with an error for each element that is no message", async () => {
    const { write, answers } = open("2025-03-26");
    write([7, message(1, "ping"), { jsonrpc: "2.0", id: 1.5, method: "ping" }]);
    expect((await answers(2))[1]).toMatchObject([refusal, { ...refusal, id: 1.5 }, { id: 1, result: {} }]);
  });

  it.each<[string, unknown[]]>([
    ["no messages", []],
    ["over a hundred messages", Array.from({ length: 101 }, (_, id) => message(id, "ping"))],
    ["the beginning of a session", [initialize("2025-03-26")]],
  ])("with %s is refused", async (_, sent) => {
    const { write, answers } = open("2025-03-26");
    write(sent);
    expect((await answers(2))[1]).toMatchObject(refusal);
  });

  it("has no answer if it contains only notifications", async () => {
    const { write, answers } = open("2025-03-26");
    write([initialized], message(1, "ping"));
    expect((await answers(2))[1]).toMatchObject({ id: 1, result: {} });
  });

  it("is answered without the answer to a cancelled request", async () => {
    const { write, answers } = open("2025-03-26");
    const wait = call(2, "get_decision", {
      run_id: "0a9b8c7d-0000-4000-8000-00000000000a",
      wait_seconds: 50,
    });
    write([message(1, "ping"), wait]);
    write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    expect((await answers(2))[1]).toMatchObject([{ id: 1, result: {} }]);
  });
});
