import { join } from "node:path";
import { png } from "../files/sample-files.ts";
import { removableFolder } from "../files/temporary-folder.ts";
import { innkeep, startInnkeep } from "../programs/built-program.ts";
import { type Answer, request } from "../service/request.ts";

/** A tester: a name, a signed-in device and, later, a slot. */
export interface Tester {
  readonly name: string;
  readonly device: Record<string, string>;
  slotId?: string;
}

export type DevServer = Awaited<ReturnType<typeof startDevServer>>;

/** The built program on `serve --dev`, with an owner's app and the credentials that scripts of the owner need. */
export async function startDevServer() {
  const folder = await removableFolder();
  const data = ["--data", join(folder.path, "data")];
  const { ready, logged, kill } = await startInnkeep(["--port", "0", "--dev", ...data]);
  const admin = async (argv: readonly string[], input?: string) => {
    const { stdout, stderr } = await innkeep(["admin", ...argv, ...data, "--json"], { input: input ?? "" });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const owner = "owner@example.org";
  await admin(["user", "create", "--email", owner, "--password-stdin"], "a password of some length");
  const { appId, apiKey } = await admin(["app", "create", "Lantern", "--owner", owner]);
  const token = await admin([
    "token",
    "create",
    "--kind",
    "maintainer",
    "--owner",
    owner,
    "--scope",
    "testing:manage",
  ]);
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    request(ready.baseUrl, method, path, { headers, ...(body === undefined ? {} : { body }) });
  return {
    baseUrl: String(ready.baseUrl),
    appId: String(appId),
    app: { "x-api-key": String(apiKey) },
    send,
    logged,
    close: async () => {
      await kill();
      await folder.remove();
    },
    /** Calls the API as the owner. */
    own: async (method: string, path: string, body?: unknown) =>
      succeeded(
        await send(method, `/api/v1/console${path}`, { authorization: `Bearer ${token.token}` }, body),
      ),
    /** Moves the server's clock. */
    setClock: async (instant: string) => succeeded(await send("POST", "/dev/clock", {}, { set: instant })),
    register: async (name: string): Promise<Tester> => {
      const body = {
        email: `${name}@example.org`,
        password: "a password of some length",
        deviceId: `phone of ${name}`,
      };
      const grant = succeeded(await send("POST", "/api/v1/testing/auth/register", {}, body));
      return { name, device: { authorization: `Bearer ${grant.token}` } };
    },
  };
}

/** A listing of twelve slots and fourteen days, and its cycle in Berlin from the day of `startsOn`. */
export async function planCycleOnDevServer(inn: DevServer, startsOn: string): Promise<string> {
  const listing = await inn.own("POST", `/apps/${inn.appId}/listings`, {
    appName: "Lantern",
    packageName: "com.example.lantern",
    optInUrl: "https://play.example/apps/testing/com.example.lantern",
    testBrief: "Light the lantern and walk about.",
    screens: ["Home", "Map", "Settings"],
    verificationTier: "sdk",
  });
  const { cycle } = await inn.own("POST", `/listings/${listing.id}/cycles`, {
    startsOn,
    timezone: "Europe/Berlin",
  });
  return cycle.id;
}

/** A tester requests the offered slot, and the owner accepts. */
export async function takeSlot(inn: DevServer, tester: Tester): Promise<void> {
  const { listings } = succeeded(await inn.send("GET", "/api/v1/testing/listings", tester.device));
  const path = `/api/v1/testing/slots/${listings[0].openSlotId}/request`;
  const { slot } = succeeded(await inn.send("POST", path, tester.device, {}));
  await inn.own("POST", `/slots/${slot.slotId}/accept`, {});
  tester.slotId = slot.slotId;
}

/** The only task of a tester today. */
export async function taskOf(inn: DevServer, tester: Tester) {
  const { tasks } = succeeded(await inn.send("GET", "/api/v1/testing/me/tasks", tester.device));
  return tasks[0];
}

/** The app of a tester reports a session of the given seconds that ended at `endedAt`. */
export async function reportSession(inn: DevServer, testKey: string, endedAt: string, seconds: number) {
  const startedAt = new Date(Date.parse(endedAt) - seconds * 1_000).toISOString();
  const body = { testKey, startedAt, endedAt, screens: ["Home", "Map"], appVersion: "1.4.0" };
  return succeeded(await inn.send("POST", "/api/v1/testing/sdk/session", inn.app, body));
}

/** A tester sends an image as the proof of the day. */
export async function sendProof(inn: DevServer, tester: Tester, capturedAt: string) {
  const form = new FormData();
  form.set("slotId", tester.slotId ?? "");
  form.set("capturedAt", capturedAt);
  const { bytes, mediaType, name } = png();
  form.append("images", new Blob([new Uint8Array(bytes)], { type: mediaType }), name);
  return succeeded(await inn.send("POST", "/api/v1/testing/proofs", tester.device, form));
}

/** The body of a successful answer. */
function succeeded({ status, text }: Answer) {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return JSON.parse(text);
}
