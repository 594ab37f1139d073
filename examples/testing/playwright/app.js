import { createServer } from "node:http";

const page = `<!doctype html><title>Atlas</title>
<h1>Atlas</h1>
<form method="post"><label>What is wrong? <textarea name="message"></textarea></label><button>Send</button></form>`;

/** A page on which people report bugs. `innkeep` is where the reports go. */
export function createApp(innkeep) {
  return createServer(async (request, response) => {
    const chunks = await request.toArray();
    response.setHeader("content-type", "text/html");
    if (request.method !== "POST") return response.end(page);
    const message = new URLSearchParams(Buffer.concat(chunks).toString()).get("message");
    const answer = await fetch(`${innkeep.baseUrl}/api/v1/feedback/remote`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": innkeep.apiKey },
      body: JSON.stringify({ type: "bug", message }),
    });
    response.end(answer.ok ? "<p role=status>Thank you!</p>" : "<p role=alert>Please try again later.</p>");
  });
}
