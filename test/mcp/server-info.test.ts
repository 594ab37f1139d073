import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { serveStdio } from "../../mcp/stdio.ts";
import { eventually } from "../support/eventually.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

it.each([
  [undefined, "https://innkeep.example"],
  ["https://console.example", "https://console.example"],
])("the MCP server has an icon, and a link to the console at %s: %s", async (consoleUrl, websiteUrl) => {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const exit = serveStdio({ version: "1.2.3", baseUrl: "https://innkeep.example", consoleUrl, io });
  let said = "";
  io.stdout.on("data", (chunk) => {
    said += chunk;
  });
  io.stdin.write(`${JSON.stringify(initialize)}\n`);
  await eventually(() => expect(said).toContain("\n"));
  io.stdin.end();
  await exit;
  const { serverInfo } = JSON.parse(said).result;
  expect(serverInfo).toMatchObject({ name: "innkeep", title: "Innkeep", version: "1.2.3", websiteUrl });
  const [{ src, mimeType, sizes }] = serverInfo.icons;
  expect([mimeType, sizes]).toEqual(["image/svg+xml", ["any"]]);
  expect(decodeURIComponent(src)).toMatch(/^data:image\/svg\+xml,<svg [^>]*>.*<\/svg>$/);
});
