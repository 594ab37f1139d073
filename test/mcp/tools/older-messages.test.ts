import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAt, textAt } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithAgent, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";
import { numbered, type WrittenMessage, writeMessages } from "../../support/worlds/long-thread.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const lost = "01a2075d-e2c2-77a8-bee3-9e65e3382356";

describe("the pages of read_feedback for a thread with many messages", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  async function longThread(written: readonly WrittenMessage[]) {
    const cast = await makeAppWithAgent(service);
    const feedback = await submitFeedback(service, cast);
    const ids = await writeMessages(service, feedback, written);
    const agentToken = await service.makeToken(cast.owner, "agent");
    const { client } = await openMcpSession("2026-07-28", { baseUrl: service.baseUrl, agentToken });
    const read = async (args: Record<string, unknown> = {}) =>
      readToolResult(await client.callTool("read_feedback", { feedback, ...args }));
    return { ids, read };
  }

  type Read = Awaited<ReturnType<typeof longThread>>["read"];

  /** Reads a thread to its oldest message. Returns the texts of each page, oldest first. */
  async function readAll(read: Read, args: Record<string, unknown>) {
    const pages: string[][] = [];
    let cursor: unknown;
    do {
      const position = typeof cursor === "string" ? { messages_before: cursor } : {};
      const { structured } = await read({ ...args, ...position });
      const said = [
        ...listAt(structured, "team", "messages"),
        ...listAt(structured, "untrusted", "messages"),
      ].sort((a, b) => Number(Object(a).number) - Number(Object(b).number));
      pages.unshift(said.map((message) => textAt(message, "body")));
      cursor = structured.next_cursor;
    } while (cursor !== null && pages.length < 50);
    return pages;
  }

  it("continue over the pages of the server, each message once", async () => {
    const { read } = await longThread(numbered(1_203));
    const pages = await readAll(read, { max_chars: 60_000 });
    expect(pages.flat()).toEqual(numbered(1_203).map(({ body }) => body));
    expect(pages.every(({ length }) => length > 0 && length <= 200)).toBe(true);
  });

  it("contain each report that the server leaves out between other messages", async () => {
    const report = (n: number, length: number) => ({
      body: `Report ${n}. ${"x".repeat(length)}`,
      isReport: true,
    });
    const large = limits.threadMessageBytes;
    const { read } = await longThread([report(0, 400_000), ...numbered(2), report(1, large), report(2, 1)]);
    const texts = (await readAll(read, { max_chars: 60_000 })).flat().map((text) => text.slice(0, 8));
    expect([...new Set(texts)].sort()).toEqual(["Note 0.", "Note 1.", "Report 0", "Report 1", "Report 2"]);
  });

  it("refuse a cursor that names no message of the thread", async () => {
    const { read } = await longThread(numbered(1));
    const { text, isError } = await read({ messages_before: lost });
    expect(isError).toBe(true);
    expect(text).toContain("`messages_before` names no message of this thread");
  });
});

describe("the pages of read_feedback on a server that ignores `before`", () => {
  const ids = Array.from({ length: 9 }, (_, n) => lost.replace(/.$/, String(n)));
  const messages = ids.map((id, n) => ({
    ...{ id, direction: "inbound", author: "sender", body: `Message ${n}. ${"y".repeat(480)}` },
    createdAt: `2026-11-20T08:00:0${n}.000Z`,
  }));
  const start = async (rest: object = {}) => {
    const api = await startFakeApi();
    const { client } = await openMcpSession("2026-07-28", { baseUrl: api.baseUrl });
    const feedback = api.addThread({ message: "", metadata: {} }, { messages, ...rest });
    return async (args: object = {}) =>
      readToolResult(await client.callTool("read_feedback", { feedback, max_chars: 1_000, ...args }));
  };

  it("continue with the messages before the one that the cursor names", async () => {
    const read = await start();
    const first = await read();
    expect(first.structured).toMatchObject({ next_cursor: ids[7] });
    const second = await read({ messages_before: ids[7] });
    expect(second.structured).toMatchObject({ next_cursor: ids[5], omitted: { messages: 5 } });
    expect(second.text).toContain("Message 6.");
  });

  it("end if the server leaves out that message", async () => {
    const read = await start({ omittedMessages: 3 });
    const { structured } = await read({ messages_before: lost.replace(/.$/, "a") });
    expect(structured).toMatchObject({ next_cursor: null, untrusted: { messages: [] } });
  });
});
