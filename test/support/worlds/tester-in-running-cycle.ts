import type { SampleFile } from "../files/sample-files.ts";
import { png } from "../files/sample-files.ts";
import type { CycleTraits, ListingTraits } from "../service/cycle-makers.ts";
import type { Service } from "../service/service.ts";

/** An owner's app with a cycle that has begun, and a tester in its first slot. */
export type TesterInCycle = Awaited<ReturnType<typeof makeTesterInCycle>>;

export async function makeTesterInCycle(
  service: Service,
  { startsOn, timezone, ...listingTraits }: Partial<ListingTraits & CycleTraits> = {},
) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const listing = await service.makeListing(app, listingTraits);
  const cycle = await service.makeCycle(listing, {
    ...(startsOn === undefined ? {} : { startsOn }),
    ...(timezone === undefined ? {} : { timezone }),
  });
  const [slotId = "", ...open] = cycle.slotIds;
  const tester = await service.makeUser();
  const testKey = await service.giveSlot(cycle, slotId, tester);
  const device = await service.makeDevice(tester);
  return { owner, app, listing, cycle, slotId, open, tester, testKey, device };
}

/** Moves the clock to an instant. */
export const setClock = ({ clock }: Service, instant: string): void =>
  clock.advance(Date.parse(instant) - clock.now().getTime());

/** Moves the clock to the next noon (UTC), as far as possible from midnight. */
export function toNoon(service: Service): void {
  const today = service.clock.now().toISOString().slice(0, 10);
  setClock(service, new Date(Date.parse(`${today}T12:00:00Z`) + 86_400_000).toISOString());
}

export const dayMilliseconds = 86_400_000;

export interface ProofFields {
  readonly slotId: string;
  readonly capturedAt?: string;
  readonly queuedAt?: string;
  readonly note?: string;
  readonly images?: readonly SampleFile[];
}

/** Sends a proof, by default with one image captured now. */
export function sendProof(
  service: Service,
  headers: Record<string, string>,
  { images = [png()], ...fields }: ProofFields,
) {
  const form = new FormData();
  const texts = { capturedAt: service.clock.now().toISOString(), ...fields };
  for (const [name, text] of Object.entries(texts)) form.set(name, text);
  for (const { bytes, mediaType, name } of images)
    form.append("images", new Blob([new Uint8Array(bytes)], { type: mediaType }), name);
  return service.request("POST", "/api/v1/testing/proofs", { headers, body: form });
}

/** Sets the status of a slot directly. */
export const setStatus = ({ deps }: Service, slotId: string, status: string) =>
  deps.database.write((tx) => tx.run("UPDATE slots SET status = ? WHERE id = ?", status, slotId));

/** The elements of a list of an answer. */
export function listOf({ body }: { readonly body: unknown }, name: string): Record<string, unknown>[] {
  const list: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (!Array.isArray(list)) throw new Error(`There is no list ${name} in ${JSON.stringify(body)}`);
  return list.map((element: object) => ({ ...element }));
}
