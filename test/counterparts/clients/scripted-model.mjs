import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Starts a fake model, for clients that connect to their servers only when they use a model. It records the names of
 * the offered tools, in the format of any vendor, and refuses every request.
 */
export async function startScriptedModel() {
  const offered = [];
  const message = "The script ends here.";
  const error = { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message };
  const server = createServer(async (incoming, answer) => {
    const names = (await text(incoming)).matchAll(/"name":\s*"([\w-]+)"/g);
    offered.push(...[...names].map(([, name]) => name));
    answer.writeHead(400, { "content-type": "application/json" });
    answer.end(JSON.stringify({ type: "error", error }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}`,
    /** Returns the names since the last call. */
    takeOffered: () => offered.splice(0),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
