import { hashOf, randomName } from "../../../server/secrets/secrets.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import { png } from "../files/sample-files.ts";
import type { Answer } from "./request.ts";
import type { Service } from "./service.ts";

/** Sends a prepared request to a server of the database in which it was prepared. */
export type SendTo = (service: Service, headers?: Record<string, string>) => Promise<Answer>;

/** One change in closed testing. */
export interface TestingMutation {
  readonly name: string;
  readonly prepare: (world: TestingWorld) => Promise<SendTo>;
}

/** An owner's app with a running cycle, one tester in its first slot, and one who requests its second. */
export type TestingWorld = Awaited<ReturnType<typeof makeTestingWorld>>;

export async function makeTestingWorld(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const listing = await service.makeListing(app, { seats: 3 });
  const cycle = await service.makeCycle(listing);
  const [slotId = "", asked = "", open = ""] = cycle.slotIds;
  const [tester, asking] = [await service.makeUser(), await service.makeUser()];
  const testKey = await service.giveSlot(cycle, slotId, tester);
  const device = await service.makeDevice(tester);
  await service.request("POST", `/api/v1/testing/slots/${asked}/request`, {
    headers: await service.makeDevice(asking),
  });
  const token = await service.makeToken(owner, "maintainer", { scopes: ["testing:manage"] });
  const maintainer = { authorization: `Bearer ${token}` };
  return { service, owner, app, listing, cycle, slotId, asked, open, tester, testKey, device, maintainer };
}

/** Every mutating endpoint of closed testing. */
export const testingMutations: readonly TestingMutation[] = [
  {
    name: "POST /api/v1/testing/sdk/session",
    async prepare({ service, app, testKey }) {
      // It began after the tester got the slot, and is as far in the future as a device's clock may be. So it counts.
      const ahead = (seconds: number) =>
        new Date(service.clock.now().getTime() + seconds * 1_000).toISOString();
      const body = { testKey, startedAt: ahead(0), endedAt: ahead(60), screens: ["Home", "Map"] };
      return sends("POST", "/api/v1/testing/sdk/session", { "x-api-key": app.key }, () => body);
    },
  },
  {
    name: "POST /api/v1/testing/auth/exchange",
    async prepare({ service, tester }) {
      const [code, verifier, deviceId] = [randomName(), randomName(), randomName()];
      const at = service.clock.now().getTime();
      await service.deps.database.insert("sign_in_codes", {
        code_hash: hashOf(code),
        user_id: tester.id,
        device_id: deviceId,
        device_name: "Pixel 9",
        challenge: await challengeOf(verifier),
        created_at: new Date(at).toISOString(),
        expires_at: new Date(at + 300_000).toISOString(),
      });
      return sends("POST", "/api/v1/testing/auth/exchange", {}, () => ({ code, verifier, deviceId }));
    },
  },
  {
    name: "POST /api/v1/testing/auth/register",
    prepare: async () => {
      const body = { email: `${randomName()}@example.org`, password: randomName(), deviceId: randomName() };
      return sends("POST", "/api/v1/testing/auth/register", {}, () => body);
    },
  },
  {
    name: "POST /api/v1/testing/auth/token",
    async prepare({ service }) {
      const account = { email: `${randomName()}@example.org`, password: randomName() };
      const body = { ...account, deviceId: randomName() };
      await service.request("POST", "/api/v1/testing/auth/register", { body });
      return sends("POST", "/api/v1/testing/auth/token", {}, () => body);
    },
  },
  {
    name: "POST /api/v1/testing/proofs",
    async prepare({ service, device, slotId }) {
      const capturedAt = service.clock.now().toISOString();
      return sends("POST", "/api/v1/testing/proofs", device, () => proofForm(slotId, capturedAt));
    },
  },
  {
    name: "POST /api/v1/testing/slots/{slotId}/request",
    prepare: async ({ service, open }) =>
      sends(
        "POST",
        `/api/v1/testing/slots/${open}/request`,
        await service.makeDevice(await service.makeUser()),
      ),
  },
  {
    name: "POST /api/v1/testing/slots/{slotId}/rotate-key",
    prepare: async ({ device, slotId }) =>
      sends("POST", `/api/v1/testing/slots/${slotId}/rotate-key`, device),
  },
  {
    name: "PATCH /api/v1/testing/me/profile",
    prepare: async ({ device }) =>
      sends("PATCH", "/api/v1/testing/me/profile", device, () => ({ timezone: "Europe/Berlin" })),
  },
  {
    name: "POST /api/v1/console/apps/{appId}/listings",
    prepare: async ({ app, maintainer }) =>
      sends("POST", `/api/v1/console/apps/${app.id}/listings`, maintainer, () => newListing),
  },
  {
    name: "PATCH /api/v1/console/listings/{listingId}",
    prepare: async ({ listing, maintainer }) =>
      sends("PATCH", `/api/v1/console/listings/${listing.id}`, maintainer, () => ({ appName: "Torch" })),
  },
  {
    name: "POST /api/v1/console/listings/{listingId}/cycles",
    prepare: async ({ listing, maintainer }) =>
      sends("POST", `/api/v1/console/listings/${listing.id}/cycles`, maintainer, () => ({
        startsOn: "2030-01-01",
        timezone: "Asia/Tokyo",
      })),
  },
  {
    name: "POST /api/v1/console/cycles/{cycleId}/cancel",
    prepare: async ({ cycle, maintainer }) =>
      sends("POST", `/api/v1/console/cycles/${cycle.id}/cancel`, maintainer),
  },
  ...["accept", "decline"].map((verb) => ofSlot(verb, ({ asked }) => asked)),
  ...["remove", "rotate-key", "confirm-join"].map((verb) => ofSlot(verb, ({ slotId }) => slotId)),
  {
    name: "POST /api/v1/console/slots/{slotId}/assign",
    async prepare({ service, open, maintainer }) {
      const { email } = await service.makeUser();
      return sends("POST", `/api/v1/console/slots/${open}/assign`, maintainer, () => ({ email }));
    },
  },
];

function ofSlot(verb: string, slot: (world: TestingWorld) => string): TestingMutation {
  return {
    name: `POST /api/v1/console/slots/{slotId}/${verb}`,
    prepare: async (world) => sends("POST", `/api/v1/console/slots/${slot(world)}/${verb}`, world.maintainer),
  };
}

/** `body` is created for each request, because a form can be sent only once. */
function sends(
  method: string,
  path: string,
  credentials: Record<string, string>,
  body: () => unknown = () => ({}),
): SendTo {
  return (service, headers = {}) =>
    service.request(method, path, { headers: { ...credentials, ...headers }, body: body() });
}

function proofForm(slotId: string, capturedAt: string): FormData {
  const form = new FormData();
  form.set("slotId", slotId);
  form.set("capturedAt", capturedAt);
  form.append("images", new Blob([new Uint8Array(png().bytes)], { type: "image/png" }), "shot.png");
  return form;
}

const newListing = {
  appName: "Lantern",
  packageName: "com.example.lantern",
  optInUrl: "https://play.example/apps/testing/com.example.lantern",
  testBrief: "Light the lantern.",
  screens: ["Home", "Map"],
  verificationTier: "sdk",
};
