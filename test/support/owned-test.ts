import type { Service } from "./service.ts";

/** A listing as its owner would send it. */
export const newListing = {
  appName: "Lantern",
  packageName: "com.example.lantern",
  optInUrl: "https://play.example/apps/testing/com.example.lantern",
  testBrief: "Light the lantern.",
  screens: ["Home", "Map"],
  verificationTier: "sdk",
};

/** A tester asks for an open seat: the request stands for as many milliseconds as are given, 48 hours otherwise. */
export async function requestSeat(
  { deps: { database, clock } }: Service,
  slotId: string,
  tester: { id: string },
  stands = 48 * 3_600_000,
): Promise<void> {
  const expires = new Date(clock.now().getTime() + stands).toISOString();
  await database.write(async (tx) => {
    await tx.run(
      "UPDATE slots SET status = 'requested', tester_id = ?, request_expires_at = ? WHERE id = ? AND status = 'open'",
      tester.id,
      expires,
      slotId,
    );
    tx.signal("cycles");
  });
}
