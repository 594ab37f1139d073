import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The built program. */
export const innkeep = fileURLToPath(new URL("../../dist/innkeep.cjs", import.meta.url));

/**
 * Starts a demo on a free port, with a separate data folder. Returns what the demo prints, `listening`, which is its
 * real address even if its links use another one, and a function that stops it.
 */
export async function startDemo(environment = {}) {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-counterparts-"));
  const port = await freePort();
  const words = [innkeep, "serve", "--demo", "--json", "--port", `${port}`, "--data", join(folder, "data")];
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface(child.stdout))
    return { ...JSON.parse(line), listening: `http://127.0.0.1:${port}`, folder, stop };
  await rm(folder, { recursive: true, force: true });
  throw new Error("The demo did not start. Run `npm run build` first.");
}

/** Returns a port of this machine that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts a proxy for counterparts that cannot send a token: it adds one to requests without a token, and changes nothing
 * else. `Host` and `Origin` arrive as they were sent, so the server still checks them.
 */
export async function startTokenProxy() {
  const target = { baseUrl: "", token: "" };
  const server = createServer((incoming, answer) => {
    const { hostname, port } = new URL(target.baseUrl);
    const headers = { authorization: `Bearer ${target.token}`, ...incoming.headers };
    const { method, url: path } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, target, stop };
}
