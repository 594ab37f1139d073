import { request } from "node:http";

export interface Sent {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Calls an endpoint under `/dev`. Uses Node's own client: tests often replace `fetch`. Throws an Error with the server's
 * message if it refuses.
 */
export async function call<Answer>(baseUrl: string, { method, path, body }: Sent): Promise<Answer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sending = request(`${baseUrl}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    sending.on("error", reject);
    sending.end(text);
  });
  const value = answer.text === "" ? undefined : JSON.parse(answer.text);
  if (answer.status < 400) return value;
  const issues: { path: string; message: string }[] = value?.issues ?? [];
  const faults = issues.map((issue) => `\n  ${issue.path} ${issue.message}`).join("");
  throw new Error(`${method} ${path} answered ${answer.status}: ${value?.error}${faults}`);
}
