import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHandlers } from "../../server/handlers.ts";
import { mapEndpoints, type ServedEndpoint, servedBy } from "../../server/http/handler.ts";
import { contract } from "../../src/contract/index.ts";
import { titleOf } from "../support/service/endpoints.ts";
import { type Service, startService } from "../support/service/service.ts";

describe("the traits of the handlers", () => {
  let service: Service;
  let endpoints: readonly (readonly [title: string, endpoint: ServedEndpoint])[];
  beforeEach(async () => {
    service = await startService();
    endpoints = mapEndpoints({ contract, handlers: createHandlers(service.deps) }, (endpoint, handle) => [
      titleOf(endpoint),
      servedBy(endpoint, handle),
    ]);
  });
  afterEach(() => service.stop());

  it("allow only declared errors to be stored under an Idempotency-Key", () => {
    const some = endpoints.filter(([, { keptRefusals }]) => keptRefusals);
    expect(some).not.toEqual([]);
    for (const [name, { errors, keptRefusals = [] }] of some)
      expect.soft(errors, name).toEqual(expect.arrayContaining([...keptRefusals]));
  });

  it("name only fields of the endpoint for the cycles that it updates", () => {
    const some = endpoints.filter(([, { catchesUp }]) => catchesUp);
    expect(some).not.toEqual([]);
    for (const [name, { catchesUp, auth, params, body }] of some) {
      if (catchesUp?.by === "account")
        expect.soft(["deviceToken", "console", "session"], name).toContain(auth);
      else {
        const [part, field = ""] = (catchesUp?.by ?? "").split(".");
        expect.soft(Object.keys((part === "params" ? params : body)?.shape ?? {}), name).toContain(field);
      }
    }
  });

  it("encrypt stored answers only with fields of the body", () => {
    const some = endpoints.filter(([, { sealedBy }]) => sealedBy);
    expect(some).not.toEqual([]);
    for (const [name, { sealedBy = [], body }] of some)
      expect.soft(Object.keys(body?.shape ?? {}), name).toEqual(expect.arrayContaining([...sealedBy]));
  });

  it("allow ready answers only for endpoints that read, and that need only what a ready answer checks", () => {
    const some = endpoints.filter(([, { ready }]) => ready);
    expect(some).not.toEqual([]);
    for (const [name, endpoint] of some) {
      expect.soft(endpoint, name).toMatchObject({ method: "GET", success: { status: 200 } });
      expect.soft(["appKey", "agentToken", "deviceToken"], name).toContain(endpoint.auth);
      const others = [
        "successor",
        "attempts",
        "rateLimitBy",
        "otherRateLimit",
        "catchesUp",
        "pending",
        "readsClock",
      ] as const;
      expect
        .soft(
          others.filter((trait) => endpoint[trait] !== undefined),
          name,
        )
        .toEqual([]);
    }
  });
});
