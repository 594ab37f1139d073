import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createAsks } from "../../../server/console/page-reads.ts";
import type { Handler } from "../../../server/http/handler.ts";
import { endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../../src/contract/errors.ts";
import { type Service, startService } from "../../support/service/service.ts";

const place = endpoint({
  method: "POST",
  path: "/places",
  summary: "Take a place",
  auth: "none",
  repeatableBy: ["who"],
  body: z.object({ who: z.string() }),
  success: { status: 201, body: z.object({ place: z.string() }) },
  errors: ["not_found"],
});

const person = {
  caller: undefined,
  address: "127.0.0.1",
  browser: { origin: undefined, sessionId: undefined, known: undefined, userAgent: undefined },
  setSession: () => {},
};

// Only PostgreSQL refuses the second of two requests while the first one runs: SQLite runs one after the other.
describe("a form that a browser sends twice at the same time", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** Sends a form to a handler whose first call is refused with this code. */
  const sendAfter = (code: ErrorCode) => {
    let calls = 0;
    const take: Handler<typeof place> = async ({ save }) => {
      calls += 1;
      if (calls === 1) throw new ApiError(code);
      return save(async () => ({ place: "first" }));
    };
    const api = { contract: { places: { take: place } }, handlers: { places: { take } } };
    const ask = createAsks(api, service.deps)(person);
    return ask(place, { body: { who: "Ada" }, idempotencyKey: code });
  };

  it("waits for the first request, and shows its result", async () => {
    expect(await sendAfter("idempotency_in_progress")).toEqual({ place: "first" });
  });

  it("does not wait after a different refusal", async () => {
    await expect(sendAfter("not_found")).rejects.toMatchObject({ code: "not_found" });
  });
});
