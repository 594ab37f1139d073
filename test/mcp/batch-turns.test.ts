import { createServer } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpTools } from "../../mcp/http.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import { listAt, valueAt } from "../../src/contract/json.ts";
import type { ToolCaller } from "../../src/programs.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/network/free-port.ts";

const id = "01a2075d-e2c2-77a8-bee3-9e65e3382356";
const call = (number: number, name = "read_feedback", given: object = { feedback: id }) => ({
  ...{ jsonrpc: "2.0", id: number, method: "tools/call", params: { name, arguments: given } },
});
const read = (number: number) => ({
  ...{ jsonrpc: "2.0", id: number, method: "resources/read", params: { uri: `innkeep://feedback/${id}` } },
});
const wait = (number: number) => call(number, "get_decision", { run_id: id, wait_seconds: 50 });
const cancel = (requestId: number) => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
});
const initialize = {
  ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
};
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

/** An array is sent over a way to the server. Returns the ids in the array that answers it. */
interface Way {
  readonly most: { readonly atOnce: number };
  send(array: readonly object[]): Promise<unknown[]>;
}

async function overHttp(): Promise<Way> {
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
    async send(body) {
      const headers = { accept: "application/json", "content-type": "application/json" };
      const sent = await tools.answer({ headers, body, gone: new AbortController().signal }, caller);
      const text = "json" in sent ? sent.json : await sent.response.text();
      return listAt({ answers: JSON.parse(text) }, "answers").map((each) => valueAt(each, "id"));
    },
  };
}

async function overStdio(): Promise<Way> {
  const { most, answer } = countedCalls();
  const api = createServer(async ({ url = "" }, response) => {
    await answer(url);
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(unknown));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => {
    api.listen(port, "127.0.0.1", resolve);
  });
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const agentToken = `sda_${"T0ken".repeat(7)}`;
  const exit = serveStdio({ version: "1", baseUrl: `http://127.0.0.1:${port}`, agentToken, io });
  let out = "";
  io.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const write = (message: unknown) => io.stdin.write(`${JSON.stringify(message)}\n`);
  write(initialize);
  write({ jsonrpc: "2.0", method: "notifications/initialized" });
  onTestFinished(async () => {
    io.stdin.end();
    await exit;
    api.closeAllConnections();
    api.close();
  });
  return {
    most,
    async send(array) {
      write(array);
      await eventually(() => expect(out.trim().split("\n")).toHaveLength(2));
      const answers: unknown = JSON.parse(out.trim().split("\n")[1] ?? "");
      return listAt({ answers }, "answers").map((each) => valueAt(each, "id"));
    },
  };
}

describe.each([
  ["HTTP", overHttp],
  ["stdio", overStdio],
])("the requests of an array over %s", (_, open) => {
  it("run one after another, and all are answered", async () => {
    const way = await open();
    expect(new Set(await way.send(requests))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(way.most.atOnce).toBe(1);
  });

  it("are not delayed by waits for decisions", async () => {
    const way = await open();
    const answered = await way.send([wait(7), wait(8), ...requests]);
    expect(new Set(answered)).toEqual(new Set([1, 2, 3, 4, 5, 7, 8]));
  });
});

describe("a cancelled request of an array over stdio", () => {
  it.each([1, 2])("does not delay the others, if it is request %i", async (cancelled) => {
    const way = await overStdio();
    const others = [1, 2, 3].filter((each) => each !== cancelled);
    expect(await way.send([call(1), call(2), cancel(cancelled), call(3)])).toEqual(others);
  });
});
