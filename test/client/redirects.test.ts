import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { listen } from "../support/network/recording-server.ts";

/** A server that redirects everything below `/api`, and answers requests to the new address. */
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

describe("a redirect with a status 3xx", () => {
  it.each([301, 302, 303, 307, 308])("is followed on the same host for a read (%i)", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    expect(await clientWithCredentials(baseUrl).client.faqs.list()).toEqual([]);
    expect(seen).toEqual(["GET /api/v1/faqs/remote", "GET /moved"]);
  });

  it("is not followed to another host, which gets no credential", async () => {
    const heard: unknown[] = [];
    const other = await listen((request, response) => {
      heard.push(request.headers);
      response.end("[]");
    });
    const { baseUrl } = await redirecting(302, () => `${other}/steal`);
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      message: expect.stringContaining(`redirects to ${other}, and credentials are not sent there`),
    });
    expect(heard).toEqual([]);
  });

  it.each([307, 308])("is followed for a change if it keeps the method (%i)", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    await clientWithCredentials(baseUrl).client.faqs.create({ body });
    expect(seen).toEqual(["POST /api/v1/faqs/remote", "POST /moved"]);
  });

  it.each([301, 302, 303])("is refused if it would change a write into a read (%i)", async (status) => {
    const { baseUrl, seen } = await redirecting(status, () => "/moved");
    await expect(clientWithCredentials(baseUrl).client.faqs.create({ body })).rejects.toMatchObject({
      status,
    });
    expect(seen).toHaveLength(1);
  });

  it("ends if it forms a loop", async () => {
    const { baseUrl, seen } = await redirecting(302, ({ url }) => `${url}`);
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toThrow("redirects in a loop");
    expect(seen).toHaveLength(6);
  });

  it.each(["", "http://["])(
    "is reported as the answer of another service if its target is %j",
    async (location) => {
      const { baseUrl } = await redirecting(302, () => location);
      await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({
        name: "UnexpectedAnswerError",
      });
    },
  );
});
