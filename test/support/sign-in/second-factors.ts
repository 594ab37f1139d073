import { totpCode } from "../../../server/secrets/second-factor.ts";
import type { Service } from "../service/service.ts";
import { cookieOf, makeAccount, postSession, type TestAccount } from "./password-accounts.ts";

const stepMilliseconds = 30_000;

/** An account with a second factor, and the person's authenticator app. */
export interface FactorAccount extends TestAccount {
  /** The headers of the browser in which the second factor was turned on. */
  readonly headers: { readonly cookie: string; readonly origin: string };
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Moves the clock into the middle of the time step that is `steps` later, so that no step ends during a test. */
export function moveToStep({ clock }: Service, steps: number): void {
  const into = clock.now().getTime() % stepMilliseconds;
  clock.advance(steps * stepMilliseconds + stepMilliseconds / 2 - into);
}

/** The code that the app shows now, or `steps` time steps later (earlier if negative). */
export const codeAt = ({ clock }: Service, secret: string, steps = 0): string =>
  totpCode(secret, Math.floor(clock.now().getTime() / stepMilliseconds) + steps);

/** Waits for the next code of the app, which is not used yet. */
export function nextCode(service: Service, secret: string): string {
  moveToStep(service, 2);
  return codeAt(service, secret);
}

/** Signs in with the password, in a separate browser. */
export const openWithPassword = async (service: Service, { email, password }: TestAccount) => ({
  origin: service.baseUrl,
  cookie: cookieOf(await postSession(service, { email, password })),
});

/** Begins to turn the second factor on. Returns the secret for the app. */
export async function beginFactor(
  service: Service,
  headers: FactorAccount["headers"],
  currentPassword?: string,
): Promise<string> {
  const body = { currentPassword };
  const answer = await service.request("POST", "/api/v1/console/second-factor/totp", { headers, body });
  return answer.field("secret");
}

/** Turns the second factor of an account on. */
export async function turnOn(
  service: Service,
  account: TestAccount,
  headers: FactorAccount["headers"],
): Promise<FactorAccount> {
  const secret = await beginFactor(service, headers, account.password);
  const body = { code: nextCode(service, secret) };
  const path = "/api/v1/console/second-factor/totp/confirm";
  const answer = await service.request("POST", path, { headers, body });
  return { ...account, headers, secret, recoveryCodes: Object(answer.body).recoveryCodes };
}

export async function makeFactorAccount(service: Service): Promise<FactorAccount> {
  const account = await makeAccount(service);
  return turnOn(service, account, await openWithPassword(service, account));
}
