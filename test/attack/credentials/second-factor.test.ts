import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSealer } from "../../../server/secrets/secrets.ts";
import { databases } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount } from "../../support/sign-in/password-accounts.ts";
import {
  beginFactor,
  codeAt,
  type FactorAccount,
  makeFactorAccount,
  moveToStep,
  nextCode,
  openWithPassword,
} from "../../support/sign-in/second-factors.ts";

const finishPath = "/api/v1/console/session/second-factor";

describe.each(databases)("a second factor on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8" } });
  });
  afterAll(() => service.stop());

  const signIn = ({ email, password }: FactorAccount, code?: string, headers = {}) =>
    service.request("POST", "/api/v1/console/session", { body: { email, password, code }, headers });
  const finish = (step: string, code: string, headers = {}) =>
    service.request("POST", finishPath, { body: { step, code }, headers });
  const codeOf = (answer: Answer) => (answer.status === 201 ? "signed in" : answer.field("code"));
  const cookiesOf = ({ headers }: Answer) =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(";", 1)[0])
      .join("; ");
  const isOpen = async (cookie: string) =>
    (await service.request("GET", "/api/v1/console/me", { headers: { cookie } })).status === 200;

  it("does not accept a code that another person saw, or an older code", async () => {
    const account = await makeFactorAccount(service);
    const code = nextCode(service, account.secret);
    const older = codeAt(service, account.secret, -1);
    expect(codeOf(await signIn(account, code))).toBe("signed in");
    for (const seen of [code, older])
      expect(codeOf(await signIn(account, seen))).toBe("invalid_second_factor");
  });

  it("does not accept for a sign-in the code that turned it on", async () => {
    const account = await makeAccount(service);
    const headers = await openWithPassword(service, account);
    const secret = await beginFactor(service, headers, account.password);
    const code = nextCode(service, secret);
    const body = { code };
    await service.request("POST", "/api/v1/console/second-factor/totp/confirm", { headers, body });
    expect(codeOf(await signIn({ ...account, headers, secret, recoveryCodes: [] }, code))).toBe(
      "invalid_second_factor",
    );
  });

  it.each(["totp", "recovery"])(
    "does not accept one code from two browsers at the same time: %s",
    async (kind) => {
      const account = await makeFactorAccount(service);
      const [recovery = ""] = account.recoveryCodes;
      const code = kind === "totp" ? nextCode(service, account.secret) : recovery;
      const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(account, code)));
      expect(answers.map(codeOf).sort()).toEqual([
        ...["invalid_second_factor", "invalid_second_factor", "invalid_second_factor"],
        "signed in",
      ]);
    },
  );

  it("counts wrong codes for the account in every step, and then a right code also has to wait", async () => {
    const account = await makeFactorAccount(service);
    moveToStep(service, 40);
    const step = (await signIn(account)).field("step");
    const right = codeAt(service, account.secret);
    const near = [-1, 0, 1].map((steps) => codeAt(service, account.secret, steps));
    const wrong = ["000000", "000001", "000002", "000003"].find((code) => !near.includes(code)) ?? "";
    const guesses = await Promise.all(Array.from({ length: 12 }, () => finish(step, wrong)));
    expect(guesses.map(codeOf).filter((code) => code === "invalid_second_factor")).toHaveLength(5);
    expect(codeOf(await finish(step, right))).toBe("rate_limited");
    expect(codeOf(await signIn(account, right))).toBe("rate_limited");
    const [recovery = ""] = account.recoveryCodes;
    expect(codeOf(await signIn(account, recovery))).toBe("signed in");
  });

  /** Sends wrong codes, each 15 minutes after the previous one. Returns how many the server checked. */
  async function guess(account: FactorAccount, headersOf: (guess: number) => object, times: number) {
    let judged = 0;
    for (let sent = 0; sent < times; sent += 1) {
      service.clock.advance(16 * 60_000);
      const near = [-1, 0, 1].map((steps) => codeAt(service, account.secret, steps));
      const wrong = near.includes("000000") ? "999999" : "000000";
      if (codeOf(await signIn(account, wrong, headersOf(sent))) === "invalid_second_factor") judged += 1;
    }
    return judged;
  }

  const from = (number: number) => ({ "x-forwarded-for": `203.0.113.${number}` });

  it("counts wrong codes of a network also over a day", async () => {
    const account = await makeFactorAccount(service);
    expect(await guess(account, () => from(1), 15)).toBe(10);
    expect(codeOf(await signIn(account, nextCode(service, account.secret), from(2)))).toBe("signed in");
  });

  it("counts wrong codes of all networks together also over a day", async () => {
    const account = await makeFactorAccount(service);
    expect(await guess(account, from, 40)).toBe(30);
  });

  it("allows a browser that has signed in before in spite of wrong codes from other addresses, and counts its own wrong codes", async () => {
    const account = await makeFactorAccount(service);
    const signedIn = await signIn(account, nextCode(service, account.secret), from(99));
    const known = { cookie: cookiesOf(signedIn), ...from(99) };
    await guess(account, from, 40);
    expect(codeOf(await signIn(account, nextCode(service, account.secret), from(98)))).toBe("rate_limited");
    const answer = await signIn(account, nextCode(service, account.secret), known);
    expect(codeOf(answer)).toBe("signed in");
    expect(await guess(account, () => ({ cookie: cookiesOf(answer), ...from(99) }), 15)).toBe(10);
  });

  it("allows a right recovery code in spite of wrong recovery codes from other addresses", async () => {
    const account = await makeFactorAccount(service);
    for (let sent = 0; sent < 12; sent += 1) await signIn(account, "abcd-efgh-jkmn-pqrs", from(1));
    const [recovery = ""] = account.recoveryCodes;
    expect(codeOf(await signIn(account, recovery, from(1)))).toBe("rate_limited");
    expect(codeOf(await signIn(account, recovery, from(2)))).toBe("signed in");
  });

  it("refuses a step after ten minutes, after a new password, if it was changed, and of another deployment", async () => {
    const account = await makeFactorAccount(service);
    const step = (await signIn(account)).field("step");
    const code = nextCode(service, account.secret);
    const content = service.deps.sealer.open(step);
    const foreign = createSealer("another secret").seal(content);
    const offer = service.deps.sealer.seal(content.replace('"step"', '"offer"'));
    for (const other of [foreign, offer, `${step.slice(0, -4)}AAAA`, "x"])
      expect(codeOf(await finish(other, code))).toBe("invalid_credentials");
    service.clock.advance(600_000);
    const late = codeAt(service, account.secret);
    expect(codeOf(await finish(step, late))).toBe("invalid_credentials");
    const next = (await signIn(account)).field("step");
    const { headers } = account;
    await service.request("PUT", "/api/v1/console/password", {
      headers,
      body: { currentPassword: account.password, newPassword: "a fresh password" },
    });
    expect(codeOf(await finish(next, late))).toBe("invalid_credentials");
  });

  it("refuses in the step of one account the codes of another account", async () => {
    const [victim, thief] = [await makeFactorAccount(service), await makeFactorAccount(service)];
    const step = (await signIn(victim)).field("step");
    expect(codeOf(await finish(step, nextCode(service, thief.secret)))).toBe("invalid_second_factor");
    const [recovery = ""] = thief.recoveryCodes;
    expect(codeOf(await finish(step, recovery))).toBe("invalid_second_factor");
  });

  it("gives no access to a session id that existed before the sign-in or before the code", async () => {
    const account = await makeFactorAccount(service);
    const planted = `innkeep=${"A".repeat(43)}`;
    const step = (await signIn(account, undefined, { cookie: planted })).field("step");
    expect(await isOpen(planted)).toBe(false);
    const done = await finish(step, nextCode(service, account.secret), { cookie: planted });
    expect(cookieOf(done)).not.toBe(planted);
    expect([await isOpen(planted), await isOpen(cookieOf(done))]).toEqual([false, true]);
  });

  it("ends the earlier session of the browser in the second step", async () => {
    const account = await makeFactorAccount(service);
    const { cookie } = account.headers;
    const step = (await signIn(account, undefined, { cookie })).field("step");
    expect(await isOpen(cookie)).toBe(true);
    await finish(step, nextCode(service, account.secret), { cookie });
    expect(await isOpen(cookie)).toBe(false);
  });

  it("can be completed only from a page of the console", async () => {
    const account = await makeFactorAccount(service);
    const step = (await signIn(account)).field("step");
    const code = nextCode(service, account.secret);
    expect(codeOf(await finish(step, code, { origin: "https://evil.example" }))).toBe("forbidden");
  });

  it("is visible only to a person with the password of its account", async () => {
    const account = await makeFactorAccount(service);
    const plain = await makeAccount(service);
    const answers = await Promise.all(
      [account.email, plain.email, "nobody@example.org"].map((email) =>
        service.request("POST", "/api/v1/console/session", {
          body: { email, password: "not mine", code: "123456" },
        }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  it("cannot be turned on or off, or get new codes, in an open browser without password or code", async () => {
    const account = await makeFactorAccount(service);
    const { headers } = account;
    for (const path of ["/remove", "/recovery-codes"]) {
      const answer = await service.request("POST", `/api/v1/console/second-factor${path}`, {
        headers,
        body: { code: account.password },
      });
      expect(codeOf(answer)).toBe("invalid_second_factor");
    }
  });
});
