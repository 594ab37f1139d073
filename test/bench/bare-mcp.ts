import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import Koa from "koa";

/** Only Koa and the protocol's library: a tool that does nothing. */
const { fetch: answer } = createMcpHandler(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool("empty", { description: "Does nothing." }, async () => ({ content: [] }));
  return server;
});

const app = new Koa();
app.use(async (ctx) => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.headers))
    if (typeof value === "string") headers.set(name, value);
  const parsedBody = await json(ctx.req);
  const response = await answer(new Request("http://bare.invalid/mcp", { method: "POST", headers }), {
    parsedBody,
  });
  ctx.status = response.status;
  ctx.set("Content-Type", response.headers.get("content-type") ?? "application/json");
  ctx.body = await response.text();
});

const server = createServer(app.callback());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` })}\n`);
});
process.on("SIGTERM", () => server.close(() => {}) && server.closeAllConnections());
