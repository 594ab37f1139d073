import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedText } from "../../support/service/stored-content.ts";
import {
  authorizeAddress,
  codeOf,
  decide,
  exchange,
  newDevice,
} from "../../support/sign-in/device-sign-in.ts";
import { makeAccount } from "../../support/sign-in/password-accounts.ts";

describe("the secrets of a sign-in", () => {
  let service: Service;
  const secrets = new Map<string, string>();
  const answers: Answer[] = [];
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    await signInOfEveryKind(service, secrets, answers);
  });
  afterAll(() => service.stop());

  const found = (text: string) =>
    [...secrets].flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

  it("are not in the log", () => {
    expect(service.logged()).toContain("/tavern/authorize");
    expect(service.logged()).toContain("/api/v1/testing/auth/exchange");
    expect(found(service.logged())).toEqual([]);
  });

  it("are not in an error", () => {
    const errors = answers.filter(({ status }) => status >= 400);
    expect(errors.length).toBeGreaterThan(8);
    expect(errors.flatMap(({ text, headers }) => found(text + JSON.stringify([...headers])))).toEqual([]);
  });

  it("are nowhere in the database in clear text", async () => {
    expect(found(await storedText(service))).toEqual([]);
  });
});

/** Signs devices in with every method, with and without success, and records each secret. */
async function signInOfEveryKind(service: Service, secrets: Map<string, string>, answers: Answer[]) {
  const account = await makeAccount(service);
  const person = await service.signIn(account);
  const [device, wrong] = [await newDevice(), await newDevice()];
  const keep = (answer: Answer) => {
    answers.push(answer);
    return answer;
  };
  const password = "a password that nobody guessed";
  secrets.set("verifier", device.verifier).set("wrong verifier", wrong.verifier).set("password", password);
  secrets.set("code", codeOf(await decide(service, person, device)));
  const code = secrets.get("code") ?? "";
  keep(await exchange(service, { ...device, verifier: wrong.verifier }, code));
  keep(await exchange(service, { ...device, verifier: `${device.verifier}+` }, code));
  keep(await exchange(service, wrong, code));
  keep(await exchange(service, device, code, { deviceId: [code], timezone: device.verifier }));
  const grant = await exchange(service, device, code, { headers: { "idempotency-key": "k" } });
  secrets.set("token", grant.field("token"));
  keep(await exchange(service, device, code));
  keep(await service.request("GET", `/tavern/authorize?redirect=x&code=${code}`, { headers: person }));
  keep(await service.request("GET", `/tavern/${code}`));
  keep(await service.request("PUT", `/tavern/code?code=${code}`));
  await service.request("GET", `/tavern/code?code=${code}`);
  const shown = authorizeAddress(device, { state: code });
  await service.request("GET", shown, { headers: person });
  const body = { email: account.email, password, deviceId: "d" };
  keep(await service.request("POST", "/api/v1/testing/auth/token", { body }));
  keep(await service.request("POST", "/api/v1/testing/auth/register", { body }));
  const visitor = createBrowserWithoutScripts(service);
  const page = await visitor.open("/tavern/sign-in");
  keep(await visitor.send(page, "/tavern/sign-in", { email: account.email, password }));
  const bearer = { authorization: `Bearer ${secrets.get("token")}` };
  keep(await service.request("GET", "/api/v1/console/me", { headers: bearer }));
  const registered = await service.request("POST", "/api/v1/testing/auth/register", {
    body: { email: "new@example.org", password, deviceId: "another" },
  });
  secrets.set("registered token", registered.field("token"));
}
