import { createServer } from "node:http";
import Koa from "koa";

/** Only Koa: reads each request whole and answers it with BODY. */
const body = process.env.BODY ?? "{}";
const app = new Koa();
app.use(async (ctx) => {
  ctx.req.resume();
  ctx.set("Content-Type", "application/json; charset=utf-8");
  ctx.body = body;
});

const server = createServer(app.callback());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` })}\n`);
});
process.on("SIGTERM", () => server.close(() => {}) && server.closeAllConnections());
