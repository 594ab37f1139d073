import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { mintCredential, randomName } from "../../server/secrets/secrets.ts";
import { sqlite } from "../support/database/databases.ts";
import { type FailingDatabase, failingDatabase } from "../support/database/failing-database.ts";
import { connectRaw, headOf } from "../support/network/raw-connection.ts";
import { addressOf, endpoints, titleOf } from "../support/service/endpoints.ts";
import type { Answer, Sending } from "../support/service/request.ts";
import { metricsHeaders, type Service, startService } from "../support/service/service.ts";
import { storedText } from "../support/service/stored-content.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

/** Every planted secret by its name. */
interface Planted {
  readonly appKey: string;
  readonly revokedKey: string;
  readonly agentToken: string;
  readonly session: string;
  readonly testKey: string;
  readonly deviceToken: string;
  readonly maintainerToken: string;
  readonly webhook: string;
  readonly password: string;
  readonly code: string;
  readonly verifier: string;
  readonly metricsToken: string;
}

/** One endpoint for each kind of credential: all of them fail in the same place, before the handlers. */
const oneOfEachAuth = [
  ...new Map(endpoints.map(([, endpoint]) => [endpoint.auth, endpoint] as const)).values(),
].filter(({ auth }) => auth !== "none");

describe("a secret in a request", () => {
  let database: FailingDatabase;
  let service: Service;
  let cast: AppWithAgent;
  let planted: Planted;
  const answers: Answer[] = [];
  beforeAll(async () => {
    database = await failingDatabase(sqlite);
    service = await startService({ database });
    const webhook = "hook-8f4b2c6d1e9a7035";
    cast = await makeAppWithAgent(service, { chatWebhookUrl: `http://127.0.0.1:9/${webhook}` });
    planted = {
      webhook,
      appKey: cast.key["x-api-key"],
      agentToken: cast.agent.authorization.slice("Bearer ".length),
      session: cast.person.cookie.slice("innkeep=".length),
      maintainerToken: await service.makeToken(cast.owner, "maintainer", { scopes: ["apps:read"] }),
      revokedKey: mintCredential("sdk_"),
      testKey: mintCredential("stk_"),
      deviceToken: mintCredential("sdt_"),
      password: randomName(),
      code: randomName(),
      verifier: randomName(),
      metricsToken: metricsHeaders.authorization.slice("Bearer ".length),
    };
    expect(Object.keys(planted)).toHaveLength(12);
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const send = async (method: string, path: string, sending: Sending = {}) => {
    const answer = await service.request(method, path, sending);
    answers.push(answer);
    return answer;
  };
  const credentials = () => ({ ...cast.key, ...cast.agent });
  const secrets = () => Object.values(planted).join("/");
  const leaks = (text: string) =>
    Object.entries(planted).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));
  const sent = ({ headers, text }: Answer) => `${JSON.stringify([...headers])}\n${text}`;

  const places: [string, (secret: string) => Promise<unknown>][] = [
    [
      "a key in x-api-key",
      (secret) => send("GET", "/api/v1/faqs/remote", { headers: { "x-api-key": secret } }),
    ],
    [
      "a bearer token",
      (secret) => send("GET", "/api/v1/console/me", { headers: { authorization: `Bearer ${secret}` } }),
    ],
    [
      "a token without its scheme",
      (secret) => send("GET", "/api/v1/console/me", { headers: { authorization: secret } }),
    ],
    ["a cookie", (secret) => send("GET", "/api/v1/console/me", { headers: { cookie: `innkeep=${secret}` } })],
    [
      "a query of an address",
      (secret) => send("GET", `/api/v1/faqs/remote?testKey=${secret}`, { headers: cast.key }),
    ],
    [
      "a wrong query",
      (secret) =>
        send("GET", `/api/v1/changelog/remote?since=${secret}&limit=${secret}`, { headers: cast.key }),
    ],
    ["a path of no address", (secret) => send("GET", `/api/v1/testing/${secret}`)],
    ["an id", (secret) => send("GET", `/api/v1/agent/runs/${secret}`, { headers: cast.agent })],
    [
      "an Idempotency-Key",
      (secret) =>
        send("DELETE", "/api/v1/faqs/remote/1", {
          headers: { ...cast.key, "idempotency-key": secret.repeat(8) },
        }),
    ],
    [
      "a header that nobody reads",
      (secret) =>
        send("GET", "/api/v1/faqs/remote", { headers: { ...cast.key, "x-foo": secret, referer: secret } }),
    ],
    [
      "a password",
      (secret) =>
        send("POST", "/api/v1/console/session", { body: { email: "a@example.org", password: secret } }),
    ],
    [
      "a sign-in's code and verifier",
      (secret) =>
        send("POST", "/api/v1/testing/auth/exchange", {
          body: { code: secret, verifier: secret, deviceId: secret },
        }),
    ],
    [
      "malformed JSON",
      (secret) =>
        send("POST", "/api/v1/faqs/remote", {
          headers: { ...cast.key, "content-type": "application/json" },
          body: `{"testKey":"${secret}`,
        }),
    ],
    [
      "a field of a wrong type",
      (secret) =>
        send("POST", "/api/v1/faqs/remote", {
          headers: cast.key,
          body: { question: [secret], sortOrder: secret },
        }),
    ],
    [
      "an invalid file",
      (secret) =>
        send("POST", "/api/v1/feedback/remote", {
          headers: cast.key,
          body: { type: secret, message: "x", images: [secret] },
        }),
    ],
    [
      "a field that nobody declared",
      (secret) =>
        send("POST", "/api/v1/feedback/remote", {
          headers: cast.key,
          body: { type: "bug", message: "x", [secret]: secret },
        }),
    ],
    [
      "a content type",
      (secret) =>
        send("POST", "/api/v1/faqs/remote", {
          headers: { ...cast.key, "content-type": `text/${secret}` },
          body: "{}",
        }),
    ],
  ];

  it.each(places)("in %s is in no log, error or header", async (_, plant) => {
    for (const secret of Object.values(planted)) await plant(secret);
    expect(leaks(service.logged())).toEqual([]);
    expect(answers.flatMap((answer) => leaks(sent(answer)))).toEqual([]);
  });

  it.each(oneOfEachAuth.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "to %s while the database does not answer is in no log, error or header",
    async (_, endpoint) => {
      database.trouble(new Error("The database is gone"));
      const headers = { ...credentials(), ...(endpoint.auth === "session" ? cast.person : {}) };
      const path = `${addressOf(endpoint)}?key=${planted.appKey}&token=${planted.agentToken}`;
      const answer = await send(endpoint.method, path, { headers });
      expect(leaks(sent(answer))).toEqual([]);
      expect(leaks(service.logged())).toEqual([]);
    },
  );

  it("that is incomplete is in no log", async () => {
    const connection = await connectRaw(service.baseUrl);
    const headers = { ...credentials(), "content-type": "application/json", "content-length": 1_000 };
    connection.write(
      `${headOf("POST", `/api/v1/feedback/remote?key=${secrets()}`, headers)}{"testKey":"${secrets()}`,
    );
    await connection.cut();
    await send("GET", "/api/v1/faqs/remote", { headers: cast.key });
    expect(leaks(service.logged())).toEqual([]);
  });

  it("without faults is in no log and no answer", async () => {
    const feedbackId = await submitFeedback(service, cast);
    const runId = await propose(service, cast, feedbackId);
    for (const path of [
      `/api/v1/agent/feedback/${feedbackId}`,
      `/api/v1/agent/runs/${runId}`,
      "/api/v1/changelog/remote",
    ])
      expect(await send("GET", path, { headers: credentials() })).toMatchObject({ status: 200 });
    expect(service.logged()).toContain("/api/v1/changelog/remote");
    expect(leaks(service.logged())).toEqual([]);
    expect(answers.flatMap((answer) => leaks(sent(answer)))).toEqual([]);
  });

  it("is in no metrics, and not in the description of the API", async () => {
    const texts = [
      await send("GET", "/metrics", { headers: metricsHeaders }),
      await send("GET", "/api/v1/openapi.json"),
      await send("GET", "/healthz"),
    ];
    expect(texts.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(texts.flatMap(({ text }) => leaks(text))).toEqual([]);
  });

  it("is stored only as a hash if it is a credential", async () => {
    expect(leaks(await storedText(service))).toEqual(["webhook"]);
  });
});
