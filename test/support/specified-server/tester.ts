import { guarded, json, notFound, type Operations, refusal, secrets, withBearer } from "./operation.ts";

export const slotId = "0198c1a3-19c4-7d11-8f00-3d4e5f6a7b88";
export const openSlotId = "0198c1a3-19c4-7d11-8f00-3d4e5f6a7b99";

const about = {
  ...{ slotId, cycleId: "0198c1a3-2a55-7b32-9c9d-4e5f6a7b8c99", dayIndex: 3, durationDays: 14 },
  ...{ missedDays: 0, joinCheckPending: false, verificationTier: "sdk", testKey: secrets.testKey },
};
const app = {
  iconUrl: "https://larder.example/icon.png",
  packageName: "com.example.larder",
  optInUrl: "https://play.example.com/larder",
};
const task = {
  ...about,
  ...app,
  ...{ listingId: "0198c1a3-3b66-7c43-8dae-5f6a7b8c9daa", appName: "Larder", testBrief: "Sort the list." },
  ...{ targetScreen: "Recipes", dueBy: "2026-11-22T00:00:00.000Z", submitted: false, slotStatus: "active" },
};
const slot = {
  ...about,
  ...{ status: "active", app: { name: "Larder", ...app }, cycleStatus: "running", lastProofDayIndex: 2 },
  requestExpiresAt: null,
};

/**
 * The requests of a tester's client. The specification does not show the bodies of the last two answers, so `unshown`
 * is used there.
 */
export function testerOperations(unshown: () => unknown): Operations {
  return guarded(withBearer(secrets.deviceToken), {
    "GET /api/v1/testing/me/tasks": () => json(200, { tasks: [task], outstanding: 1 }),
    "GET /api/v1/testing/me/slots": () => json(200, { slots: [slot] }),
    "POST /api/v1/testing/proofs": ({ headers, body }) => {
      const text = body.toString("latin1");
      if (!headers["content-type"]?.startsWith("multipart/form-data")) return refusal(400, "Send a form.");
      const missing = ["slotId", "capturedAt", "queuedAt"].filter((name) => !text.includes(`name="${name}"`));
      if (missing.length > 0) return refusal(400, `There is no ${missing.join(", ")}.`);
      if (!text.includes('name="images"')) return refusal(400, "There is no picture.", "no_images");
      return json(201, unshown());
    },
    "POST /api/v1/testing/slots/{slotId}/request": ({ params }) =>
      params.slotId === openSlotId ? json(201, unshown()) : notFound,
  });
}
