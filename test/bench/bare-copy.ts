import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** Copies each request's raw body to a file in FOLDER: the cost of the disk and Node alone. */
const folder = process.env.FOLDER ?? ".";
let count = 0;
const server = createServer(async (request, response) => {
  count += 1;
  await pipeline(request, createWriteStream(join(folder, `copy-${count}`), { flush: true }));
  response.end("{}");
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` })}\n`);
});
process.on("SIGTERM", () => server.close(() => {}) && server.closeAllConnections());
