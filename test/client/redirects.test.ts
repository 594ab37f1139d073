import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { listen } from "../support/network/recording-server.ts";

/** A server that sends everything below `/api` elsewhere, and answers what arrives there. */
async function redirecting(status: number, to: (request: IncomingMessage) => string) {
  const seen: string[] = [];
  const baseUrl = await listen((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.url?.startsWith("/api")) response.writeHead(status, { location: to(request) }).end();
    else response.end(request.method === "GET" ? "[]" : '{"id":"1"}');
  });
  return { baseUrl, seen };
}

const body = { question: "How?", answer: "So." };

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("on the same host (%i) is followed by a reader", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    expect(await clientWithCredentials(baseUrl).client.faqs.list()).toEqual([]);
    expect(seen).toEqual(["GET /api/v1/faqs/remote", "GET /moved"]);
  });

  it("to another host is not followed: no credential reaches it", async () => {
    const heard: unknown[] = [];
    const other = await listen((request, response) => {
      heard.push(request.headers);
      response.end("[]");
    });
    const { baseUrl } = await redirecting(302, () => `${other}/steal`);
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      message: expect.stringContaining(`redirects to ${other}, and credentials do not follow`),
    });
    expect(heard).toEqual([]);
  });

  it.each([307, 308])("that demands the same method (%i) is followed by a change", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    await clientWithCredentials(baseUrl).client.faqs.create({ body });
    expect(seen).toEqual(["POST /api/v1/faqs/remote", "POST /moved"]);
  });

  it.each([301, 302, 303])("that would turn a change into a reading (%i) is refused", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    await expect(clientWithCredentials(baseUrl).client.faqs.create({ body })).rejects.toMatchObject({
      status,
    });
    expect(seen).toHaveLength(1);
  });

  it("in a circle ends", async () => {
    const { baseUrl, seen } = await redirecting(302, ({ url }) => `${url}`);
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toThrow("redirects in circles");
    expect(seen).toHaveLength(6);
  });

  it.each(["", "http://["])("to %j is told as the answer of something else", async (location) => {
    const { baseUrl } = await redirecting(302, () => location);
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
    });
  });
});
