import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { lineLimit } from "../../../mcp/stdio.ts";
import { eras } from "../support/clients.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("arguments of a tool over %s", (era) => {
  const start = async (options: { maxWaitSeconds?: number } = {}) => {
    const api = await startFakeApi();
    const { client } = await openMcpSession(era, { baseUrl: api.baseUrl, ...options });
    const call = async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args));
    return { api, client, call };
  };

  it("with a misspelt name are refused, and the error has the right name", async () => {
    const { api, call } = await start();
    const { isError, text: told } = await call("propose_plan", {
      feedback: api.addThread(),
      summary: "S",
      plan: "P",
      supercede: true,
      expected_runid: "x",
    });
    expect(isError).toBe(true);
    expect(told).toContain("`expected_runid` is unknown (did you mean `expected_run_id`?)");
    expect(told).toContain(
      "`supercede` is unknown; the arguments are feedback, summary, plan, expected_run_id",
    );
    expect(api.posts()).toEqual([]);
  });

  it("can have the names that answers use, and numbers and booleans as text", async () => {
    const { api, call } = await start();
    const given = { feedback_id: api.addThread(), max_chars: "2000", include_images: "false" };
    expect((await call("read_feedback", given)).isError).toBe(false);
    const wrong = await call("read_feedback", { ...given, max_chars: "20 kB" });
    expect(wrong.text).toContain("`max_chars`");
  });

  it("can contain wait_seconds as text", async () => {
    const { api, call } = await start();
    const posted = await call("propose_plan", { feedback: api.addThread(), summary: "S", plan: "P" });
    const run_id = String(posted.structured.run_id);
    api.decide(run_id, "approved");
    const { structured } = await call("get_decision", { run_id, wait_seconds: "30" });
    expect(structured.may_proceed).toBe(true);
  });

  it("that name a thread in place of a run cause an explanation", async () => {
    const { api, call } = await start();
    const { text: told } = await call("get_decision", { run_id: api.addThread() });
    expect(told).toContain("not the id of a thread");
  });

  it("of a prompt are refused as invalid parameters", async () => {
    const { client } = await start();
    await expect(client.getPrompt("triage_feedback", { feedback: "seven" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("are described with the longest allowed wait", async () => {
    const { client } = await start({ maxWaitSeconds: 120 });
    expect(JSON.stringify(await client.listTools())).toContain(
      "up to 120; a greater number counts as the maximum",
    );
  });
});

describe("a line of standard input that cannot be read", () => {
  it("gets an error with the id of its request if it is too long, and the next line is read", async () => {
    const out = new PassThrough();
    const lines = lineLimit(out, 100);
    const heard = text(lines);
    lines.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"');
    for (let n = 0; n < 50; n += 1) lines.write("x".repeat(10));
    lines.end('"}\n{"id":8}\n');
    expect(await heard).toBe('{"id":8}\n');
    expect(JSON.parse(String(out.read()))).toMatchObject({ id: 7, error: { code: -32600 } });
  });

  it.each([
    ["at its end", `{"method":"tools/call","params":{"id":3},"x":"LONG","jsonrpc":"2.0","id":7}`, 7],
    ["at its end, before the version", `{"params":{"x":"LONG"},"id":"a-7","jsonrpc":"2.0"}`, "a-7"],
    ["after the method", `{"jsonrpc": "2.0", "method": "ping", "id": 7, "params": {"x":"LONG","id":3}}`, 7],
    ["only in its parameters", `{"method":"ping","params":{"id":3,"x":"LONG","id":3}}`, null],
    ["nowhere", `LONG`, null],
  ])("gets an error with the right id if it is too long and the id is %s", async (_, line, id) => {
    const out = new PassThrough();
    const lines = lineLimit(out, 3_000);
    const heard = text(lines);
    for (const part of line.replace("LONG", "x".repeat(9_000)).match(/.{1,700}/gs) ?? []) lines.write(part);
    lines.end("\n");
    expect(await heard).toBe("");
    expect(JSON.parse(String(out.read()))).toMatchObject({ id, error: { code: -32600 } });
  });

  it("gets an error if it is not JSON, and the next line is read", async () => {
    const out = new PassThrough();
    const lines = lineLimit(out);
    const heard = text(lines);
    lines.end('{bad\n\n{"id":8}\n');
    expect(await heard).toBe('\n{"id":8}\n');
    expect(JSON.parse(String(out.read()))).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700 },
    });
  });

  it("of ten megabytes is refused for a call, and the client can continue", async () => {
    const { client } = await openMcpSession("2025-11-25", { baseUrl: "http://127.0.0.1:9" });
    const plan = "x".repeat(10_485_760);
    await expect(client.callTool("propose_plan", { feedback: "a", summary: "S", plan })).rejects.toThrow(
      /larger than 8388608 bytes/,
    );
    expect(await client.listTools()).toHaveProperty("tools");
  });

  it("of ten megabytes does not end the server", async () => {
    const { client, io } = await openMcpSession("2025-11-25", { baseUrl: "http://127.0.0.1:9" });
    io.stdin.write(`{"jsonrpc":"2.0","id":"big","method":"ping","params":"${"x".repeat(12_000_000)}"}\n`);
    expect(await client.listTools()).toHaveProperty("tools");
  });
});
