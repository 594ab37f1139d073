import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createHttpTools } from "../../mcp/http.ts";
import { listAt, valueAt } from "../../src/contract/json.ts";
import type { ToolCaller } from "../../src/programs.ts";

const id = "01a2075d-e2c2-77a8-bee3-9e65e3382356";
const call = (number: number, name = "read_feedback", given: object = { feedback: id }) => ({
  ...{ jsonrpc: "2.0", id: number, method: "tools/call", params: { name, arguments: given } },
});
const read = (number: number) => ({
  ...{ jsonrpc: "2.0", id: number, method: "resources/read", params: { uri: `innkeep://feedback/${id}` } },
});
const wait = (number: number) => call(number, "get_decision", { run_id: id, wait_seconds: 50 });
const unknown = { error: "There is no such thread.", code: "not_found" };
const requests = [call(1), call(2), read(3), call(4), read(5)];

/** Counts the calls of the API. A call that reads a proposal ends when a thread has been read. */
function countedCalls() {
  let running = 0;
  let threadsRead = 0;
  const most = { atOnce: 0 };
  const answer = async (path: string): Promise<void> => {
    if (path.includes("/runs/")) {
      while (threadsRead === 0) await nextTurn();
      return;
    }
    running += 1;
    most.atOnce = Math.max(most.atOnce, running);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    running -= 1;
    threadsRead += 1;
  };
  return { most, answer };
}

/** `send` sends an array, and returns the ids in the array that answers it. */
async function overHttp() {
  const { most, answer } = countedCalls();
  const caller: ToolCaller = {
    ...{ id: "token", secret: "sda_secret", readOnly: false, mayWork: false },
    async call({ path, params }) {
      await answer(`${path} ${JSON.stringify(params)}`);
      return { status: 404, headers: {}, text: JSON.stringify(unknown) };
    },
    readUpload: async () => undefined,
    follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
    stopping: new AbortController().signal,
  };
  const baseUrl = "http://innkeep.invalid";
  const tools = createHttpTools({ version: "1", baseUrl, consoleUrl: baseUrl, onError: () => undefined });
  return {
    most,
    async send(body: readonly object[]) {
      const headers = { accept: "application/json", "content-type": "application/json" };
      const sent = await tools.answer({ headers, body, gone: new AbortController().signal }, caller);
      const text = "json" in sent ? sent.json : await sent.response.text();
      return listAt({ answers: JSON.parse(text) }, "answers").map((each) => valueAt(each, "id"));
    },
  };
}

describe("the requests of an array over HTTP", () => {
  it("run one after another, and all are answered", async () => {
    const way = await overHttp();
    expect(new Set(await way.send(requests))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(way.most.atOnce).toBe(1);
  });

  it("are not delayed by waits for decisions", async () => {
    const way = await overHttp();
    const answered = await way.send([wait(7), wait(8), ...requests]);
    expect(new Set(answered)).toEqual(new Set([1, 2, 3, 4, 5, 7, 8]));
  });
});
