import { type DemoServer, post } from "./demo-server.ts";

/** Cycles of the demo's app. */
export interface DemoCycles {
  /** The headers of a tester who has a slot in many cycles. */
  readonly testKeys: readonly string[];
  /** The headers of the device of another tester, who has three slots. */
  readonly device: Readonly<Record<string, string>>;
}

const manySlots = 700;
const listing = {
  appName: "Lantern",
  packageName: "com.example.lantern",
  optInUrl: "https://play.example/apps/testing/com.example.lantern",
  testBrief: "Light the lantern and walk about.",
  screens: ["Home", "Map", "Settings"],
  seats: 2,
  verificationTier: "sdk",
};

/** Plans cycles that run today and assigns slots in them to two testers. */
export async function startDemoCycles(demo: DemoServer): Promise<DemoCycles> {
  const origin = `http://127.0.0.1:${demo.port}`;
  const own = async (path: string, body: object) =>
    JSON.parse(await (await post(`${origin}/api/v1/console${path}`, body, demo.person)).text());
  const { id } = await own(`/apps/${demo.appId}/listings`, listing);
  const many = await register(origin, "many@example.org");
  const few = await register(origin, "few@example.org");
  const startsOn = new Date().toISOString().slice(0, 10);
  for (let planned = 0; planned < manySlots; planned += 1) {
    const { slots } = await own(`/listings/${id}/cycles`, { startsOn, timezone: "UTC" });
    await own(`/slots/${slots[0].slotId}/assign`, { email: many.email });
    if (planned < 3) await own(`/slots/${slots[1].slotId}/assign`, { email: few.email });
  }
  return { testKeys: await testKeysOf(origin, many.device), device: few.device };
}

/** One session for each key: only the first session of a key makes its day count. */
export function sessionsOf({ testKeys }: DemoCycles): string[] {
  const now = Date.now();
  const [startedAt, endedAt] = [new Date(now).toISOString(), new Date(now + 60_000).toISOString()];
  const session = { startedAt, endedAt, screens: ["Home", "Map", "Settings"], appVersion: "1.4.0" };
  return testKeys.map((testKey) => JSON.stringify({ testKey, ...session }));
}

async function register(origin: string, email: string) {
  const account = { email, password: "correct horse battery staple", deviceId: email };
  const answer = await post(`${origin}/api/v1/testing/auth/register`, account, {});
  const { token } = JSON.parse(await answer.text());
  return { email, device: { authorization: `Bearer ${token}` } };
}

async function testKeysOf(origin: string, device: Record<string, string>): Promise<string[]> {
  const answer = await fetch(`${origin}/api/v1/testing/me/slots`, { headers: device });
  const { slots } = JSON.parse(await answer.text());
  return slots.map(({ testKey }: { testKey: string }) => testKey);
}
