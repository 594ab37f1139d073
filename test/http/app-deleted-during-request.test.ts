import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { connectRaw, headOf } from "../support/network/raw-connection.ts";
import { type Service, startService } from "../support/service/service.ts";
import { storedFiles } from "../support/service/stored-content.ts";
import { makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)(
  "a request whose app is deleted during the arrival of its body, on $name,",
  (engine) => {
    let service: Service;
    beforeAll(async () => {
      service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    });
    afterAll(() => service.stop());

    const key = { "idempotency-key": "k-1" };

    it.each([
      ["a report", "/api/v1/feedback/remote", { type: "bug", message: "Late." }, {}],
      ["a repeatable report", "/api/v1/feedback/remote", { type: "bug", message: "Late." }, key],
      ["an FAQ entry", "/api/v1/faqs/remote", { question: "Late?", answer: "Yes." }, {}],
    ])("is refused with 401 for %s, because its key is no longer valid", async (_, path, value, more) => {
      const cast = await makeAppWithAgent(service);
      const body = JSON.stringify(value);
      const headers = { ...cast.key, ...more, "content-type": "application/json" };
      const connection = await connectRaw(service.baseUrl);
      // The answer to the first request shows that the server has begun to read the second, which was sent with it.
      connection.write(
        `${headOf("GET", "/healthz", {})}${headOf("POST", path, { ...headers, "content-length": body.length })}{`,
      );
      await connection.read(/"ok"/);
      await service.request("GET", "/api/v1/faqs/remote", { headers: cast.key });
      const app = `/api/v1/console/apps/${cast.appId}`;
      expect((await service.request("DELETE", app, { headers: cast.person })).status).toBe(204);
      connection.write(body.slice(1));
      expect(await connection.read(/"code":/)).toMatch(/401 Unauthorized.*invalid_api_key/s);
      await connection.cut();
      await expect.poll(() => storedFiles(service)).toEqual([]);
    });
  },
);
