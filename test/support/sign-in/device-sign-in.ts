import { v7 } from "uuid";
import { randomName } from "../../../server/secrets/secrets.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import { createBrowserWithoutScripts } from "../browser/browser-without-scripts.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

/** A device that wants to be signed in, and its secret. */
export interface NewDevice {
  readonly deviceId: string;
  readonly verifier: string;
  readonly challenge: string;
}

/** A device with a new verifier; the same device again if its id is passed. */
export async function newDevice(deviceId: string = v7()): Promise<NewDevice> {
  const verifier = randomName();
  return { deviceId, verifier, challenge: await challengeOf(verifier) };
}

export interface Asking {
  readonly redirect?: string;
  readonly name?: string;
  readonly state?: string;
  readonly decision?: "approve" | "refuse";
}

/** The address with which a device opens the browser. */
export function authorizeAddress(
  { deviceId, challenge }: NewDevice,
  { redirect = "tavern://back", name = "Pixel 9", state }: Asking = {},
): string {
  const query = new URLSearchParams({ device: deviceId, name, challenge, redirect });
  if (state !== undefined) query.set("state", state);
  return `/tavern/authorize?${query}`;
}

/** Sends the decision of a person, signed in with a browser, about a device. Returns the answer to the form. */
export async function decide(
  service: Service,
  person: Readonly<Record<string, string>>,
  device: NewDevice,
  asking: Asking = {},
): Promise<Answer> {
  const visitor = createBrowserWithoutScripts(service, person);
  const page = await visitor.open(authorizeAddress(device, asking));
  return visitor.send(page, "/tavern/authorize", { decision: asking.decision ?? "approve" });
}

/** The code with which a browser is redirected. */
export const codeOf = ({ headers }: Answer): string =>
  new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";

/** Approves a device as a person. Returns the code. */
export const approve = async (...given: Parameters<typeof decide>): Promise<string> =>
  codeOf(await decide(...given));

/** Sends a code and its verifier as the device would. */
export const exchange = (
  { request }: Service,
  { deviceId, verifier }: Pick<NewDevice, "deviceId" | "verifier">,
  code: string,
  { headers = {}, ...more }: { readonly headers?: Record<string, string> } & Record<string, unknown> = {},
): Promise<Answer> =>
  request("POST", "/api/v1/testing/auth/exchange", {
    headers,
    body: { code, verifier, deviceId, ...more },
  });

export const bearerOf = (answer: Answer) => ({ authorization: `Bearer ${answer.field("token")}` });

/** Whether a device token is accepted. */
export const slotsOf = ({ request }: Service, headers: Record<string, string>): Promise<Answer> =>
  request("GET", "/api/v1/testing/me/slots", { headers });
