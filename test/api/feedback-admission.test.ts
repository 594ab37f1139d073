import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimits } from "../../src/contract/limits.ts";
import { databases } from "../support/databases.ts";
import { dataUrl, png } from "../support/files.ts";
import { filesIn } from "../support/folder.ts";
import { type Service, startService } from "../support/service.ts";

describe.each(databases)("a large report on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("beyond the rate limit is refused before it is taken in", async () => {
    const { key } = await service.makeApp();
    const headers = { "x-api-key": key };
    const send = (body: object) => service.request("POST", "/api/v1/feedback/remote", { headers, body });
    const small = { type: "bug", message: "It crashes." };
    await Promise.all(Array.from({ length: rateLimits.feedback.limit }, () => send(small)));
    const large = await send({ ...small, images: [dataUrl(png(200_000))] });
    expect(large).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(large.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await filesIn(service.deps.settings.data)).toEqual([]);
  });
});
