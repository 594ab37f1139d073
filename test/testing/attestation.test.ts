import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signInCodes } from "../../server/access/sign-in/store.ts";
import { hashOf, randomName } from "../../server/secrets/secrets.ts";
import { challengeOf } from "../../src/contract/pkce.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  encrypt,
  goodVerdict,
  makePlayKeys,
  makePlayToken,
  playEnvironment,
} from "../support/sign-in/play-integrity.ts";

const keys = makePlayKeys();
const path = "/api/v1/testing/auth/exchange";

/** A newly approved code, and the data that its device has. */
async function approve({ deps, makeUser }: Service) {
  const [code, verifier, deviceId] = [randomName(), randomName(), v7()];
  const now = deps.clock.now();
  const row = {
    codeHash: hashOf(code),
    codeSealed: deps.sealer.seal(code),
    userId: (await makeUser()).id,
    deviceId,
    deviceName: "Pixel 9",
    challenge: await challengeOf(verifier),
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 300_000).toISOString(),
  };
  await deps.database.write((tx) => signInCodes.mint(tx, row));
  return { code, verifier, deviceId };
}

type Approved = Awaited<ReturnType<typeof approve>>;

describe("the exchange of a sign-in code with attestation", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: playEnvironment(keys) });
  });
  afterAll(() => service.stop());

  const exchange = (approved: Approved, integrityToken?: string | null, headers = {}) =>
    service.request("POST", path, { headers, body: { ...approved, integrityToken } });
  const verdict = (approved: Approved) => goodVerdict({ ...approved, now: service.clock.now() });
  const tokenOf = (approved: Approved, traits: object = {}) =>
    makePlayToken({ ...verdict(approved), ...traits }, keys);
  const emulator = { deviceIntegrity: { deviceRecognitionVerdict: ["MEETS_VIRTUAL_INTEGRITY"] } };
  const tampered = { appIntegrity: { appRecognitionVerdict: "UNRECOGNIZED_VERSION" } };

  it("signs in a genuine device with the real app", async () => {
    const approved = await approve(service);
    const answer = await exchange(approved, await tokenOf(approved));
    expect([answer.status, answer.field("token").slice(0, 4)]).toEqual([201, "sdt_"]);
  });

  it.each([
    ["an emulator", emulator, ["device_integrity_failed"]],
    ["a tampered build", tampered, ["app_not_recognized"]],
    [
      "a tampered build on an emulator",
      { ...emulator, ...tampered },
      ["device_integrity_failed", "app_not_recognized"],
    ],
    ["a tester's made-up verdict", { testingDetails: { isTestingResponse: true } }, ["app_not_recognized"]],
  ])("refuses %s with 403, and returns error, code and reasons", async (_, traits, reasons) => {
    const approved = await approve(service);
    const answer = await exchange(approved, await tokenOf(approved, traits));
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ error: expect.any(String), code: "integrity_failed", reasons });
  });

  it.each<[string, string | null | undefined]>([
    ["no token", undefined],
    ["null for a token", null],
    ["an empty token", ""],
    ["a broken token", "a.b.c.d.e"],
  ])("refuses an exchange with %s as an unrecognized app", async (_, token) => {
    const answer = await exchange(await approve(service), token);
    expect(answer).toMatchObject({ status: 403, body: { reasons: ["app_not_recognized"] } });
  });

  it("refuses an attestation token that was created with other keys", async () => {
    const approved = await approve(service);
    const token = await makePlayToken(verdict(approved), makePlayKeys());
    expect((await exchange(approved, token)).field("code")).toBe("integrity_failed");
  });

  it("refuses a verdict without a signature", async () => {
    const approved = await approve(service);
    const token = await encrypt(JSON.stringify(verdict(approved)), keys.decryption);
    expect((await exchange(approved, token)).field("code")).toBe("integrity_failed");
  });

  it("refuses the attestation token of another exchange", async () => {
    const [one, other] = [await approve(service), await approve(service)];
    expect((await exchange(one, await tokenOf(other))).field("code")).toBe("integrity_failed");
  });

  it("leaves the code valid after a refusal, so that a valid token succeeds later", async () => {
    const approved = await approve(service);
    await exchange(approved, await tokenOf(approved, emulator));
    expect((await exchange(approved, await tokenOf(approved))).status).toBe(201);
  });

  it("stores no refusal, so that the same request with the same Idempotency-Key is checked again", async () => {
    const approved = await approve(service);
    const headers = { "idempotency-key": v7() };
    await exchange(approved, undefined, headers);
    expect((await exchange(approved, await tokenOf(approved), headers)).status).toBe(201);
  });

  it("reveals nothing about attestation to a caller without a valid code", async () => {
    const approved = await approve(service);
    const wrong = { ...approved, verifier: randomName() };
    const answers = [await exchange(wrong, await tokenOf(approved)), await exchange(wrong, "broken")];
    expect(answers.map((answer) => answer.field("code"))).toEqual(["invalid_code", "invalid_code"]);
  });

  it.each([
    ["9:59", 599_000, 201],
    ["10:01", 601_000, 403],
    ["4:59 in the future", -299_000, 201],
    ["5:01 in the future", -301_000, 403],
  ])("compares a verdict with the server's clock: for example a verdict of %s", async (_, age, status) => {
    const approved = await approve(service);
    const now = new Date(service.clock.now().getTime() - age);
    const token = await makePlayToken(goodVerdict({ ...approved, now }), keys);
    expect((await exchange(approved, token)).status).toBe(status);
  });

  it("writes no token, code, verifier or key to the log", async () => {
    const approved = await approve(service);
    const tokens = [await tokenOf(approved, emulator), await tokenOf(approved)];
    for (const token of tokens) await exchange(approved, token);
    const secrets = [...tokens, approved.code, approved.verifier, keys.decryptionKey];
    expect(service.logged()).toContain(path);
    for (const secret of secrets) expect(service.logged()).not.toContain(secret);
  });
});

describe("accounts with a password and attestation", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: playEnvironment(keys) });
  });
  afterAll(() => service.stop());

  const newcomer = () => ({
    email: `${randomName()}@example.org`,
    password: "a password of some length",
    deviceId: v7(),
  });
  type Newcomer = ReturnType<typeof newcomer>;
  const send = (endpoint: string, account: Newcomer, integrityToken?: string | null, headers = {}) =>
    service.request("POST", `/api/v1/testing/auth/${endpoint}`, {
      headers,
      body: { ...account, integrityToken },
    });
  const tokenFor = ({ email, deviceId }: Newcomer, traits: object = {}) =>
    makePlayToken({ ...goodVerdict({ code: email, deviceId, now: service.clock.now() }), ...traits }, keys);
  const emulator = { deviceIntegrity: { deviceRecognitionVerdict: ["MEETS_VIRTUAL_INTEGRITY"] } };
  const refused = (reasons: readonly string[]) => ({
    status: 403,
    body: { error: expect.any(String), code: "integrity_failed", reasons },
  });
  /** An existing account for `token`; a new one for `register`. */
  async function accountFor(endpoint: string): Promise<Newcomer> {
    const account = newcomer();
    if (endpoint === "token")
      expect((await send("register", account, await tokenFor(account))).status).toBe(201);
    return account;
  }

  describe.each(["register", "token"])("at the endpoint %s", (endpoint) => {
    it("are signed in on a genuine device with the real app", async () => {
      const account = await accountFor(endpoint);
      const answer = await send(endpoint, account, await tokenFor(account));
      expect([answer.status, answer.field("token").slice(0, 4)]).toEqual([201, "sdt_"]);
    });

    it.each([undefined, null, "", "a.b.c.d.e"])(
      "are refused with the token %j, and nothing is stored",
      async (token) => {
        const account = await accountFor(endpoint);
        expect(await send(endpoint, account, token)).toMatchObject(refused(["app_not_recognized"]));
        const again = await send("register", account, await tokenFor(account));
        expect(again.status).toBe(endpoint === "register" ? 201 : 409);
      },
    );

    it("are refused on an emulator, with the reason", async () => {
      const account = await accountFor(endpoint);
      const answer = await send(endpoint, account, await tokenFor(account, emulator));
      expect(answer).toMatchObject(refused(["device_integrity_failed"]));
    });

    it.each([
      ["another address", { email: "somebody@example.org" }],
      ["another device", { deviceId: "another" }],
    ])("are refused with a token that was created for %s", async (_, other) => {
      const account = await accountFor(endpoint);
      const answer = await send(endpoint, account, await tokenFor({ ...account, ...other }));
      expect(answer).toMatchObject(refused(["app_not_recognized"]));
    });

    it("are checked again after a refusal, even with the same Idempotency-Key", async () => {
      const account = await accountFor(endpoint);
      const headers = { "idempotency-key": v7() };
      await send(endpoint, account, undefined, headers);
      expect((await send(endpoint, account, await tokenFor(account), headers)).status).toBe(201);
    });
  });

  it("reveal nothing about attestation to a caller without the password", async () => {
    const account = await accountFor("token");
    const wrong = { ...account, password: "another password" };
    for (const token of [undefined, await tokenFor(account)])
      expect((await send("token", wrong, token)).field("code")).toBe("invalid_credentials");
  });
});

describe("the exchange of a sign-in code without attestation", () => {
  it.each([undefined, "whatever"])("ignores the attestation token %j", async (integrityToken) => {
    const service = await startService();
    const body = { ...(await approve(service)), integrityToken };
    expect((await service.request("POST", path, { body })).status).toBe(201);
    await service.stop();
  });
});
