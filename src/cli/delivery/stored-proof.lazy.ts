import { join } from "node:path";
import * as z from "zod/mini";
import type { Proof } from "./proof.ts";

/**
 * A proof as the state folder stores it. Its images are beside it, named by their place in the request
 * (`images.0`).
 */
const StoredProof = z.object({
  id: z.string(),
  createdAt: z.string(),
  baseUrl: z.string(),
  idempotencyKey: z.string(),
  fields: z.object({
    slotId: z.string(),
    capturedAt: z.string(),
    queuedAt: z.string(),
    note: z.optional(z.string()),
  }),
  images: z.array(z.object({ name: z.string(), mediaType: z.string(), bytes: z.int() })),
  wantedSlot: z.optional(z.string()),
  lastTry: z.nullable(
    z.object({ at: z.string(), outcome: z.enum(["unsent", "refused", "unknown"]), why: z.string() }),
  ),
});

export const storedProofText = (proof: Proof): string => JSON.stringify(StoredProof.parse(proof));

/** Reads a proof from its text; undefined if the text is not a proof. */
export function storedProof(folder: string, text: string): Proof | undefined {
  try {
    const { data: proof } = StoredProof.safeParse(JSON.parse(text));
    const images = proof?.images.map((image, at) => ({ ...image, path: join(folder, placeOf(at)) }));
    if (!proof || !images) return undefined;
    const { wantedSlot, ...rest } = proof;
    return { ...rest, images, ...(wantedSlot !== undefined && { wantedSlot }) };
  } catch {
    return undefined;
  }
}

/** The path of an image in the folder of its proof. */
export const placeOf = (at: number): string => `images.${at}`;
