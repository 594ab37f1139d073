import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimits } from "../../../src/contract/limits.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";

describe("a large report", () => {
  let service: Service;
  beforeAll(async () => {
    const limits = `feedback=${rateLimits.feedback.limit}/60,feedbackRepeats=1/60`;
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: limits } });
  });
  afterAll(() => service.stop());

  it("is refused before its body is read when all limits are used up", async () => {
    const { key } = await service.makeApp();
    const headers = { "x-api-key": key };
    const send = (body: object) => service.request("POST", "/api/v1/feedback/remote", { headers, body });
    const small = { type: "bug", message: "It crashes." };
    const many = Array.from({ length: rateLimits.feedback.limit - 1 }, () => send(small));
    await Promise.all([...many, send({ ...small, dedupeKey: "build" })]);
    expect((await send({ ...small, dedupeKey: "build" })).status).toBe(201);
    const large = await send({ ...small, images: [dataUrl(png(200_000))] });
    expect(large).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(large.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await filesIn(service.deps.settings.data)).toEqual([]);
  });
});
