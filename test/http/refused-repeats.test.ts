import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Handler } from "../../server/http/handler.ts";
import { createInvoke } from "../../server/http/pipeline.ts";
import { endpoint } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../src/contract/errors.ts";
import { type Service, startService } from "../support/service/service.ts";

const place = endpoint({
  method: "POST",
  path: "/places",
  summary: "Take a place",
  auth: "none",
  repeatableBy: ["who"],
  body: z.object({ who: z.string() }),
  success: { status: 201, body: z.object({ place: z.string() }) },
  errors: ["already_submitted", "not_found"],
});

const incoming = {
  caller: undefined,
  body: { who: "Ada" },
  path: place.path,
  params: undefined,
  query: undefined,
  idempotencyKey: "once",
  address: "127.0.0.1",
  browser: { origin: undefined, sessionId: undefined, known: undefined, userAgent: undefined },
  callerNow: async () => undefined,
  setSession: () => {},
};

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe("two requests with one Idempotency-Key", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  // The second request was refused because of the effect of the first one.
  it.each<ErrorCode>(["already_submitted", "not_found"])(
    "get the same answer if the second would fail only because the first has succeeded: %s",
    async (code) => {
      const bothRun = signal();
      const isDone = signal();
      let calls = 0;
      const handle: Handler<typeof place> = async ({ save }) => {
        calls += 1;
        if (calls === 1) {
          await bothRun.given;
          return save(async () => ({ place: "first" })).finally(isDone.give);
        }
        bothRun.give();
        await isDone.given;
        throw new ApiError(code);
      };
      const invoke = createInvoke(place, handle, service.deps);
      const request = { ...incoming, idempotencyKey: code, signal: () => service.deps.stopping };
      const answers = await Promise.all([invoke(request), invoke(request)]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers.map(({ replayed }) => replayed).toSorted()).toEqual([false, true]);
      expect(answers[0]?.body).toBe(answers[1]?.body);
    },
  );
});
