import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Auth, agentScopes, type Endpoint, errorsOf, isMutation } from "../../src/contract/endpoint.ts";
import { limits } from "../../src/contract/limits.ts";
import { addressOf, endpoints, titleOf } from "../support/service/endpoints.ts";
import { faultsOf } from "../support/service/refusals.ts";
import type { Answer, Sending } from "../support/service/request.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";
import { bearer } from "../support/worlds/owner-with-one-of-each.ts";

const having = (wanted: (endpoint: Endpoint) => boolean) =>
  endpoints
    .filter(([, endpoint]) => wanted(endpoint))
    .map(([, endpoint]) => [titleOf(endpoint), endpoint] as const);

describe("the error", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    const made = await makeAppWithAgent(service);
    const agent = bearer(await service.makeToken(made.owner, "agent", { scopes: agentScopes }));
    cast = { ...made, agent };
  });
  afterAll(() => service.stop());

  const credentials = (auth: Auth) =>
    ({
      none: {},
      appKey: cast.key,
      agentToken: cast.agent,
      deviceToken: cast.device,
      console: cast.person,
      session: cast.person,
    })[auth];
  const call = (endpoint: Endpoint, { headers, body }: Sending = {}, address = addressOf(endpoint)) =>
    service.request(endpoint.method, address, {
      headers: { ...credentials(endpoint.auth), ...headers },
      body,
    });
  const expectRefusal = (endpoint: Endpoint, answer: Answer, status: number, code: string) => {
    expect(answer).toMatchObject({ status, body: { code } });
    expect(faultsOf(answer)).toEqual([]);
    expect(errorsOf(endpoint)).toContain(code);
  };

  const json = { "content-type": "application/json" };
  const expectMalformed = async (endpoint: Endpoint, body: string | Buffer) => {
    const answer = await call(endpoint, { headers: { ...json, "idempotency-key": "k-1" }, body });
    expectRefusal(endpoint, answer, 400, "bad_request");
    expect(answer.body).toMatchObject({ issues: [{ path: "" }] });
  };

  it.each(having(({ auth }) => auth !== "none"))(
    "of %s without credentials is JSON with error and code",
    async (_, endpoint) => {
      const answer = await service.request(endpoint.method, addressOf(endpoint));
      const code = { appKey: "invalid_api_key", agentToken: "invalid_token", deviceToken: "invalid_token" }[
        String(endpoint.auth)
      ];
      expectRefusal(endpoint, answer, 401, code ?? "sign_in_required");
    },
  );

  it.each([
    ['{"type":"bug","message":""}', /^`message` must not be empty\.$/],
    ['{"message":"","email":7,"images":["x"]}', /^`type` is missing; it must be one of .* \(and 3 more\)\.$/],
    ["[]", /^The body must be an object\.$/],
    ["{", /^The body .*\.$/],
  ])("of the body %s names the first fault in its sentence", async (body, sentence) => {
    const headers = { ...cast.key, "content-type": "application/json" };
    const answer = await service.request("POST", "/api/v1/feedback/remote", { headers, body });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(sentence) } });
  });

  it.each(having(({ params }) => params !== undefined))(
    "of %s with a malformed id is 404, as for an unknown id",
    async (_, endpoint) => {
      const [name = ""] = Object.keys(endpoint.params?.shape ?? {});
      const sending = endpoint.body ? { body: {} } : {};
      expectRefusal(
        endpoint,
        await call(endpoint, sending, addressOf(endpoint, { [name]: "seven" })),
        404,
        "not_found",
      );
    },
  );

  it.each(having(({ query }) => query !== undefined))(
    "of %s with a wrong query is 400, and names the parameter",
    async (_, endpoint) => {
      const [name = ""] = Object.keys(endpoint.query?.shape ?? {});
      const answer = await call(endpoint, {}, `${addressOf(endpoint)}?${name}=&${name}=`);
      expectRefusal(endpoint, answer, 400, "bad_request");
      expect(answer.text).toContain(`"path":"${name}"`);
    },
  );

  it.each(having(isMutation))(
    "of %s with a malformed Idempotency-Key is 400, and names the header",
    async (_, endpoint) => {
      const answer = await call(endpoint, {
        headers: { "idempotency-key": "x".repeat(256) },
        ...(endpoint.body ? { body: {} } : {}),
      });
      expectRefusal(endpoint, answer, 400, "bad_request");
      expect(answer.text).toContain('"path":"Idempotency-Key"');
    },
  );

  describe.each(having(({ body, bodyKind }) => body !== undefined && bodyKind !== "form"))(
    "of %s",
    (_, endpoint) => {
      it("is 400 for malformed JSON", async () => {
        await expectMalformed(endpoint, '{"a":');
      });

      it("is 415 for a body of another content type", async () => {
        const answer = await call(endpoint, { headers: { "content-type": "text/plain" }, body: "{}" });
        expectRefusal(endpoint, answer, 415, "unsupported_media_type");
      });

      it("is 413 for a body without files that is larger than its limit", async () => {
        const most = endpoint.upload?.anyJson === undefined ? limits.json : limits.jsonWithMetadata;
        const parts = Array.from({ length: 128 }, () => "x".repeat((endpoint.bodyBytes ?? most) / 128));
        const body = JSON.stringify({ foo: "x", ...parts });
        expectRefusal(endpoint, await call(endpoint, { headers: json, body }), 413, "payload_too_large");
      });
    },
  );

  // One endpoint for each JSON reader: with files, and without.
  describe.each(
    having(({ method, path }) => method === "POST" && /^\/api\/v1\/(feedback|faqs)\/remote$/.test(path)),
  )("of %s", (_, endpoint) => {
    it.each([
      ["bytes that are not UTF-8", Buffer.from('{"a":"\xff"}', "latin1")],
      ["JSON that is not an object", "[]"],
      ["the same key twice", '{"a":1,"a":2}'],
      ["a key named __proto__", '{"__proto__":{"a":1}}'],
      ["nesting that never closes", `{"a":${"[".repeat(16_000)}${"]".repeat(16_000)}}`],
    ])("is 400 for %s", async (_, body) => {
      await expectMalformed(endpoint, body);
    });
  });

  it.each(having(({ bodyKind }) => bodyKind === "form"))(
    "of %s is 415 for a body that is not a form",
    async (_, endpoint) => {
      const answer = await call(endpoint, { body: {} });
      expectRefusal(endpoint, answer, 415, "unsupported_media_type");
    },
  );

  it("of a body with exactly 1 MiB is not 413", async () => {
    const [start, end] = ['{"question":"How?","answer":"So.","foo":"', '"}'];
    const body = `${start}${"x".repeat(1_048_576 - start.length - end.length)}${end}`;
    const headers = { ...cast.key, "content-type": "application/json" };
    expect(await service.request("POST", "/api/v1/faqs/remote", { headers, body })).toMatchObject({
      status: 201,
    });
    const larger = await service.request("POST", "/api/v1/faqs/remote", { headers, body: ` ${body}` });
    expect(larger).toMatchObject({ status: 413 });
  });
});
