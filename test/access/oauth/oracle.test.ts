import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, request } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { registerProgram } from "../../support/sign-in/oauth.ts";
import { knownProgram, type OAuthOracle, startOAuthOracle } from "../../support/sign-in/oauth-oracle.ts";

type Endpoint = keyof OAuthOracle["paths"];

const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const redirect = encodeURIComponent(knownProgram.redirect);
const code = `grant_type=authorization_code&client_id=CLIENT&redirect_uri=${redirect}&code_verifier=${"v".repeat(43)}`;
const none = '"token_endpoint_auth_method":"none"';
const refresh = "grant_type=refresh_token&client_id=CLIENT";

describe("the answer to a wrong request of a program", () => {
  let service: Service;
  let oracle: OAuthOracle;
  let clientId: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    clientId = (await registerProgram(service, knownProgram)).clientId;
    oracle = await startOAuthOracle();
  });
  afterAll(async () => {
    await oracle.stop();
    await service.stop();
  });

  /** The answers of both servers: the reference server and ours. */
  const answersTo = async (endpoint: Endpoint, body: string, headers: Record<string, string> = form) => {
    const ask = (baseUrl: string, path: string, id: string) =>
      request(baseUrl, "POST", path, { headers, body: body.replaceAll("CLIENT", id) });
    return [
      kindOf(await ask(oracle.baseUrl, oracle.paths[endpoint], knownProgram.clientId)),
      kindOf(await ask(service.baseUrl, `/oauth/${endpoint}`, clientId)),
    ];
  };

  it.each<[string, Endpoint, string, Record<string, string>?]>([
    ["without a grant", "token", "client_id=CLIENT"],
    ["with an empty grant", "token", "client_id=CLIENT&grant_type="],
    ["with an unknown grant", "token", "client_id=CLIENT&grant_type=password"],
    ["without a program", "token", "grant_type=authorization_code&code=x"],
    ["with nothing", "token", ""],
    ["of an unknown program", "token", `${code}&code=x`.replace("CLIENT", "unknown")],
    [
      "of an unknown program for a refresh",
      "token",
      `${refresh}&refresh_token=x`.replace("CLIENT", "unknown"),
    ],
    [
      "of a program in a header",
      "token",
      refresh.replace("CLIENT", ""),
      { ...form, authorization: "Basic eDp5" },
    ],
    ["without a code", "token", code],
    ["with an unknown code", "token", `${code}&code=x`],
    ["without a verifier", "token", `${code}&code=x`.replace(/&code_verifier=v+/, "")],
    ["without a redirect", "token", `${code}&code=x`.replace(`&redirect_uri=${redirect}`, "")],
    ["with a program twice", "token", `${code}&code=x&client_id=CLIENT`],
    ["with an unknown field twice", "token", `${code}&code=x&more=1&more=2`],
    ["without a refresh token", "token", refresh],
    ["with an unknown refresh token", "token", `${refresh}&refresh_token=x`],
    ["that gives back nothing", "revoke", "client_id=CLIENT"],
    ["that gives back an unknown token", "revoke", "client_id=CLIENT&token=x"],
    ["that gives back two tokens", "revoke", "client_id=CLIENT&token=x&token=y"],
    ["that registers nothing", "register", "{}", json],
    ["that registers no list", "register", '{"redirect_uris":"https://a.example/x"}', json],
    ["that registers a fragment", "register", `{"redirect_uris":["https://a.example/#x"],${none}}`, json],
  ])("is for %s the same as that of oidc-provider", async (_, endpoint, body, headers) => {
    const [theirs, ours] = await answersTo(endpoint, body, headers);
    expect(ours).toEqual(theirs);
  });

  interface Deviation {
    readonly what: string;
    readonly why: string;
    readonly endpoint: Endpoint;
    readonly body: string;
    readonly headers: Record<string, string>;
    readonly answer: readonly [status: number, error: string];
  }

  it.each<Deviation>([
    {
      what: "names another resource",
      why: "RFC 8707 has a code for it",
      endpoint: "token",
      body: `${code}&code=x&resource=https%3A%2F%2Fa.example`,
      headers: form,
      answer: [400, "invalid_target"],
    },
    {
      what: "is JSON",
      why: "the status says what is wrong",
      endpoint: "token",
      body: "{}",
      headers: json,
      answer: [415, "invalid_request"],
    },
    {
      what: "registers a script",
      why: "the fault is in the address",
      endpoint: "register",
      body: '{"redirect_uris":["javascript:alert(1)"]}',
      headers: json,
      answer: [400, "invalid_redirect_uri"],
    },
    {
      what: "registers broken JSON",
      why: "RFC 7591 has a code for it",
      endpoint: "register",
      body: "{",
      headers: json,
      answer: [400, "invalid_client_metadata"],
    },
    {
      what: "gives back a token without a program",
      why: "whoever holds a token may end it",
      endpoint: "revoke",
      body: "token=x",
      headers: form,
      answer: [200, "no error"],
    },
  ])("differs from that of oidc-provider for $what: $why", async ({ endpoint, body, headers, answer }) => {
    const [theirs, ours] = await answersTo(endpoint, body, headers);
    expect(ours).toEqual(answer);
    expect(ours).not.toEqual(theirs);
  });

  it("can be avoided with the same metadata as with oidc-provider, except for features of only one of the two", async () => {
    const read = async (baseUrl: string) =>
      Object.keys(recordOf((await request(baseUrl, "GET", "/.well-known/openid-configuration")).body));
    const [theirs, ours] = [await read(oracle.baseUrl), await read(service.baseUrl)];
    expect(ours.filter((name) => !theirs.includes(name))).toEqual([
      "revocation_endpoint_auth_methods_supported",
      "client_id_metadata_document_supported",
    ]);
    const ofOpenId = /jwks|id_token|claim|subject|userinfo|end_session|dpop|request_uri|pushed/;
    expect(theirs.filter((name) => !ours.includes(name) && !ofOpenId.test(name))).toEqual([]);
  });

  it("is never stored by a proxy or a browser", async () => {
    const answer = await request(service.baseUrl, "POST", "/oauth/token", { headers: form, body: "" });
    expect([answer.headers.get("cache-control"), answer.headers.get("pragma")]).toEqual([
      "no-store",
      "no-cache",
    ]);
  });
});

const kindOf = ({ status, body }: Answer) => [status, recordOf(body).error ?? "no error"];

const recordOf = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? { ...body } : {};
