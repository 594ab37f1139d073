import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const feedback = "/api/v1/feedback/remote";
const session = "/api/v1/testing/sdk/session";

/** The JSON of a list of a length that only a program writes. */
const list = (element: string, length: number) => `[${Array(length).fill(element).join(",")}]`;
const report = (fields: string) => `{"type":"bug","message":"x",${fields}}`;
const played = (screens: string) =>
  `{"testKey":"stk_x","startedAt":"2026-11-21T10:00:00Z","endedAt":"2026-11-21T10:01:00Z","screens":${screens}}`;

describe.each(databases)("a list that is longer than its limit on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const sender = async () => {
    const headers = { ...(await makeAppWithAgent(service)).key, "content-type": "application/json" };
    return (path: string, body: string): Promise<Answer> => service.request("POST", path, { headers, body });
  };
  const sizeOf = ({ body }: Answer) => JSON.stringify(body).length;

  it.each([
    ["130,000 screens", session, played(list("1", 130_000))],
    ["110,000 screens of NUL", session, played(list('"\\u0000"', 110_000))],
    ["9,000 screens that are not strings", session, played(list("1", 9_000))],
    ["250,000 images", feedback, report(`"images":${list('"x"', 250_000)}`)],
    ["33 images", feedback, report(`"images":${list('"x"', 33)}`)],
    ["9,000 images that are not strings", feedback, report(`"images":${list("1", 9_000)}`)],
    ["400,000 attachments", feedback, report(`"attachments":${list("0", 400_000)}`)],
    [
      "9,000 attachments with three faults each",
      feedback,
      report(`"attachments":${list('{"name":7}', 9_000)}`),
    ],
    ["400,000 elements in an unknown field", feedback, report(`"more":${list("0", 400_000)}`)],
  ])("is refused with 400 and a short answer: %s", async (_, path, body) => {
    const answer = await (await sender())(path, body);
    const issues = issuesOf(answer);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(20);
    expect(sizeOf(answer)).toBeLessThan(5_000);
  });

  it("counts as a report in the limit of its sender", async () => {
    const send = await sender();
    const bodies = Array.from({ length: 119 }, () => report(`"images":${list('"x"', 40)}`));
    for (const body of bodies) expect((await send(feedback, body)).status).toBe(400);
    const tooLarge = `{"more":${list('"x"', limits.jsonWithMetadata / 4 + 1)}}`;
    expect((await send(feedback, tooLarge)).status).toBe(413);
    expect((await send(feedback, report('"name":"Ada"'))).status).toBe(429);
    expect((await send(feedback, report(`"images":${list('"x"', 40)}`))).status).toBe(429);
  });

  it.each([
    ["as JSON", "application/json", (json: string) => report(`"metadata":${json}`)],
    [
      "in a form",
      "multipart/form-data; boundary=x",
      (json: string) =>
        Object.entries({ type: "bug", message: "x", metadata: json })
          .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
          .join("")
          .concat("--x--\r\n"),
    ],
  ])("loses no report %s if it is in the metadata", async (_, type, bodyOf) => {
    const headers = { ...(await makeAppWithAgent(service)).key, "content-type": type };
    const send = (json: string) =>
      service.request("POST", feedback, {
        headers: { ...headers, "idempotency-key": "one" },
        body: bodyOf(json),
      });
    const metadata = `{"a":1,"b":${list("[]", 300_000)},"c":2}`;
    const answer = await send(metadata);
    expect(answer).toMatchObject({ status: 201, body: { metadataDropped: ["metadata.b"] } });
    expect(await send(metadata)).toMatchObject({ status: 201, body: answer.body });
    expect((await send(metadata.replace("[]", "{}"))).status).toBe(422);
  });

  it("is refused with 400 in a whole FAQ if all its lists together have too many elements", async () => {
    const headers = { ...(await makeAppWithAgent(service)).key, "content-type": "application/json" };
    const lists = list(list("[]", 9_000), 100);
    const body = `{"faqs":[],"more":${lists}}`;
    const answer = await service.request("PUT", "/api/v1/faqs/remote", {
      headers: { ...headers, "if-match": "*" },
      body,
    });
    expect(answer.status).toBe(400);
    // The limit is one for each three bytes of such a body.
    expect(issuesOf(answer)).toEqual([
      `: The body has over ${Math.floor(body.length / 3)} brackets, colons and commas outside of its texts.`,
    ]);
  });
});
