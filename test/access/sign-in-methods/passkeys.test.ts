import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type Authenticator, createAuthenticator } from "../../support/sign-in/authenticator.ts";
import { cookieOf, postSession } from "../../support/sign-in/password-accounts.ts";
import { type FactorAccount, makeFactorAccount, nextCode } from "../../support/sign-in/second-factors.ts";

describe("passkeys", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ hostName: "localhost" });
  });
  afterAll(() => service.stop());

  const newKey = (traits = {}) =>
    createAuthenticator({ origin: service.baseUrl, rpId: "localhost", ...traits });
  const post = ({ headers }: FactorAccount, path: string, body: object) =>
    service.request("POST", path, { headers, body });
  const begin = async (account: FactorAccount) => {
    const code = nextCode(service, account.secret);
    return Object((await post(account, "/api/v1/console/passkeys/begin", { code })).body);
  };
  const add = async (account: FactorAccount, key: Authenticator, name = "Phone") =>
    post(account, "/api/v1/console/passkeys", { name, ...key.create(await begin(account)) });
  const list = async ({ headers }: FactorAccount) =>
    Object((await service.request("GET", "/api/v1/console/passkeys", { headers })).body).items;
  /** The step of a sign-in, and the request to the authenticator. */
  const firstStep = async (account: FactorAccount) => {
    const step = (await postSession(service, account)).field("step");
    const body = { step };
    const asked = await service.request("POST", "/api/v1/console/session/passkey", { body });
    return { step, passkey: Object(asked.body).passkey };
  };
  const finish = (step: string, passkey: object) =>
    service.request("POST", "/api/v1/console/session/second-factor", { body: { step, passkey } });
  const codeOf = (answer: Answer) => (answer.status === 201 ? "done" : answer.field("code"));

  it("can be added with a code, are listed, and complete a sign-in in place of a code", async () => {
    const account = await makeFactorAccount(service);
    expect((await firstStep(account)).passkey).toBeNull();
    const key = newKey();
    const added = await add(account, key, "My phone");
    expect(added).toMatchObject({ status: 201, body: { name: "My phone", lastUsedAt: null } });
    const { step, passkey } = await firstStep(account);
    const done = await finish(step, key.prove(passkey));
    expect(codeOf(done)).toBe("done");
    const me = await service.request("GET", "/api/v1/console/me", { headers: { cookie: cookieOf(done) } });
    expect(me.status).toBe(200);
    expect(await list(account)).toMatchObject([{ name: "My phone", lastUsedAt: expect.any(String) }]);
    expect(JSON.stringify(await list(account))).not.toContain("credentialId");
    const audit = await service.request("GET", "/api/v1/console/audit", { headers: account.headers });
    expect(audit.text).toContain('"passkey.create"');
  });

  it("cannot be added without a code, without a second factor, for another host, or twice", async () => {
    const account = await makeFactorAccount(service);
    const refused = await post(account, "/api/v1/console/passkeys/begin", { code: "000" });
    expect(codeOf(refused)).toBe("invalid_second_factor");
    const foreign = newKey({ rpId: "evil.example" });
    expect(codeOf(await add(account, foreign))).toBe("invalid_second_factor");
    const elsewhere = newKey({ origin: "https://evil.example" });
    expect(codeOf(await add(account, elsewhere))).toBe("invalid_second_factor");
    const key = newKey();
    expect(codeOf(await add(account, key))).toBe("done");
    expect(codeOf(await add(account, key))).toBe("wrong_state");
    const other = await makeFactorAccount(service);
    expect(codeOf(await add(other, key))).toBe("wrong_state");
    const asked = await begin(account);
    const late = { name: "Late", ...newKey().create(asked) };
    service.clock.advance(600_000);
    expect(codeOf(await post(account, "/api/v1/console/passkeys", late))).toBe("wrong_state");
  });

  it("are not accepted twice, or for another account, page, key or challenge", async () => {
    const [account, other] = [await makeFactorAccount(service), await makeFactorAccount(service)];
    const [key, foreign] = [newKey(), newKey()];
    await add(account, key);
    await add(other, foreign);
    const { step, passkey } = await firstStep(account);
    const phished = createAuthenticator({ origin: "https://evil.example", rpId: "localhost" });
    const theirs = await firstStep(other);
    const wrong = [
      foreign.prove(passkey),
      phished.prove(passkey),
      key.prove(theirs.passkey),
      { ...key.prove(passkey), ceremony: theirs.passkey.ceremony },
      key.prove({ ...passkey, options: { challenge: "AAAA" } }),
      { ...key.prove(passkey), signature: "AAAA" },
    ];
    for (const proof of wrong) expect(codeOf(await finish(step, proof))).toBe("invalid_second_factor");
    const proof = key.prove(passkey);
    const both = await Promise.all([finish(step, proof), finish(step, proof)]);
    expect(both.map(codeOf).sort()).toEqual(["done", "invalid_second_factor"]);
    expect(codeOf(await finish(step, proof))).toBe("invalid_second_factor");
  });

  it("can be removed with a code, and all passkeys are removed with the second factor", async () => {
    const account = await makeFactorAccount(service);
    const key = newKey();
    const { id } = Object((await add(account, key)).body);
    const remove = (passkeyId: string, code: string) =>
      post(account, `/api/v1/console/passkeys/${passkeyId}/remove`, { code });
    expect(codeOf(await remove(id, "000"))).toBe("invalid_second_factor");
    expect(codeOf(await remove(v7(), nextCode(service, account.secret)))).toBe("not_found");
    const { step, passkey } = await firstStep(account);
    expect((await remove(id, nextCode(service, account.secret))).status).toBe(204);
    expect(codeOf(await finish(step, key.prove(passkey)))).toBe("invalid_second_factor");
    await add(account, newKey());
    const code = nextCode(service, account.secret);
    await post(account, "/api/v1/console/second-factor/remove", { code });
    expect(await list(account)).toEqual([]);
  });
});

it("a console whose address is an IP address offers no passkeys", async () => {
  const service = await startService();
  const account = await makeFactorAccount(service);
  const answer = await service.request("POST", "/api/v1/console/passkeys/begin", {
    headers: account.headers,
    body: { code: nextCode(service, account.secret) },
  });
  expect(answer.field("code")).toBe("wrong_state");
  await service.stop();
});
