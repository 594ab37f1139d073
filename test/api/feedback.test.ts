import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/databases.ts";
import { type Service, startService } from "../support/service.ts";

const path = "/api/v1/feedback/remote";

describe.each(databases)("POST /api/v1/feedback/remote on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("stores feedback and answers 201 with success, its id and its console link", async () => {
    const { id: appId, key } = await service.makeApp();
    const answer = await service.request("POST", path, {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It crashes." },
    });
    expect(answer).toMatchObject({ status: 201, body: { success: true } });
    expect(answer.field("consoleUrl")).toBe(`${service.baseUrl}/console/feedback/${appId}/${answer.field("id")}`);
  });
});
