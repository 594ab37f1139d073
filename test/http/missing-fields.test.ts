import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

type Who = "key" | "agent" | "person" | "nobody";

const required: readonly (readonly [path: string, who: Who, fields: readonly string[]])[] = [
  ["/api/v1/feedback/remote", "key", ["type", "message"]],
  ["/api/v1/faqs/remote", "key", ["question", "answer"]],
  ["/api/v1/testing/sdk/session", "key", ["testKey", "startedAt", "endedAt", "screens"]],
  ["/api/v1/testing/auth/exchange", "nobody", ["code", "verifier", "deviceId"]],
  ["/api/v1/testing/auth/register", "nobody", ["email", "password", "deviceId"]],
  ["/api/v1/agent/feedback/:id/proposal", "agent", ["summary", "plan"]],
  ["/api/v1/console/session", "nobody", ["email", "password"]],
  ["/api/v1/console/feedback/:id/messages", "person", ["direction", "body"]],
];

describe("the error about a missing field", () => {
  let service: Service;
  let cast: AppWithAgent;
  let id: string;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
    id = await submitFeedback(service, cast);
  });
  afterAll(() => service.stop());

  it.each(required)(
    "of %s says in `error` and in `issues` that the field is missing",
    async (path, who, fields) => {
      const headers = who === "nobody" ? {} : cast[who];
      const answer = await service.request("POST", path.replace(":id", id), { headers, body: {} });
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: "bad_request",
          error: expect.stringMatching(
            new RegExp(
              `^\`${fields[0]}\` is missing(; it must be [^.]+)?${fields.length > 1 ? ` \\(and ${fields.length - 1} more\\)` : ""}`,
            ),
          ),
          issues: fields.map((path) => ({
            path,
            message: expect.stringMatching(/^is missing(; it must be .+)?$/),
          })),
        },
      });
    },
  );

  it("differs from the error about a field of another type", async () => {
    const body = { type: "bug", message: null };
    const answer = await service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
    expect(answer.body).toMatchObject({ issues: [{ path: "message", message: "must be a string" }] });
  });
});
