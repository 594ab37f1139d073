import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { agentToken, startFakeApi } from "../mcp/support/fake-api.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";

it("the command `mcp --debug` writes requests to standard error without the token, and nothing else to standard output", async () => {
  const api = await startFakeApi();
  const home = await temporaryFolder();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    INNKEEP_BASE_URL: api.baseUrl,
    INNKEEP_AGENT_TOKEN: agentToken,
  };
  const child = spawn(process.execPath, [innkeepPath, "mcp", "--debug"], { env });
  const traced = text(child.stderr);
  const ended = once(child, "exit");
  const feedback = api.addThread();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const messages = [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "read_feedback", arguments: { feedback } } },
  ];
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answers: { id: number }[] = [];
  for await (const line of createInterface(child.stdout)) {
    answers.push(JSON.parse(line));
    if (answers.length === 2) child.stdin.end();
  }
  expect(answers).toMatchObject([{ id: 1 }, { id: 2, result: {} }]);
  expect(await ended).toEqual([0, null]);
  const trace = await traced;
  expect(trace).toContain(`GET ${api.baseUrl}`);
  expect(trace).toContain(feedback);
  expect(trace).not.toContain(agentToken);
});
