import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { faqs as rows } from "../../../server/content/faqs/store.ts";
import { rateLimits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/faqs/remote";
const faq = { question: "How?", answer: "So." };
const old = `"${"a".repeat(27)}"`;

describe.each(databases)("a replacement of the FAQ with an old If-Match on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, still: true });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => service.stop());

  const byApp = (ifMatch: string) =>
    service.request("PUT", path, { headers: { ...cast.key, "if-match": ifMatch }, body: { faqs: [] } });
  const byMember = (ifMatch: string) =>
    service.request("PUT", `/api/v1/console/apps/${cast.appId}/faqs`, {
      headers: { ...cast.person, "if-match": ifMatch },
      body: { faqs: [] },
    });
  const add = () => service.request("POST", path, { headers: cast.key, body: faq });
  const etag = async () =>
    (await service.request("GET", path, { headers: cast.key })).headers.get("etag") ?? "";

  it.each([
    ["an app", byApp],
    ["a member", byMember],
  ])("from %s reads the list once, however often it is refused", async (_, put) => {
    await add();
    const list = vi.spyOn(rows, "list");
    for (let at = 0; at < 10; at += 1)
      expect(await put(old)).toMatchObject(refusal(412, "precondition_failed"));
    expect(list).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["an app", byApp],
    ["a member", byMember],
  ])("from %s is compared with the list as it is now", async (_, put) => {
    await add();
    const before = await etag();
    expect(await put(old)).toMatchObject(refusal(412, "precondition_failed"));
    await add();
    expect(await put(before)).toMatchObject(refusal(412, "precondition_failed"));
    expect((await put(await etag())).status).toBe(200);
    expect(await put(before)).toMatchObject(refusal(412, "precondition_failed"));
  });

  it("from an app counts against the limit of FAQ changes", async () => {
    const most = rateLimits.faqWrites.limit;
    for (let at = 0; at < most; at += 1) expect((await byApp(old)).status).toBe(412);
    expect(await byApp(old)).toMatchObject(refusal(429, "rate_limited"));
  });
});
