import * as z from "zod/mini";
import type { Deps } from "../../../deps.ts";

/** What goes with a person to the provider and back. `startedBy`: who was signed in as they set out. */
const Journey = z.object({
  kind: z.literal("journey"),
  providerId: z.string(),
  way: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  to: z.string(),
  startedBy: z.optional(z.string()),
  expiresAt: z.number(),
});
export type SignInFlow = Omit<z.output<typeof Journey>, "kind" | "expiresAt">;

/** A proven identity that an account may have. */
const Offer = z.object({
  kind: z.literal("offer"),
  proven: z.object({ providerId: z.string(), issuer: z.string(), subject: z.string() }),
  userId: z.string(),
  to: z.string(),
  expiresAt: z.number(),
});
export type ConnectOffer = Omit<z.output<typeof Offer>, "kind" | "expiresAt">;

export const lifetimeSeconds = 600;

/** Hands state to the browser that only this deployment can read or write, for ten minutes. */
export function createSealedFlows({ sealer, clock }: Pick<Deps, "sealer" | "clock">) {
  const expiresAt = () => clock.now().getTime() + lifetimeSeconds * 1_000;
  const opened = (sealed: string): unknown => {
    try {
      return JSON.parse(sealer.open(sealed));
    } catch {
      return undefined;
    }
  };
  const live = <Content extends { expiresAt: number }>({ data }: { data?: Content }): Content | undefined =>
    data && clock.now().getTime() < data.expiresAt ? data : undefined;
  return {
    sealJourney: (journey: SignInFlow): string =>
      sealer.seal(JSON.stringify({ ...journey, kind: "journey", expiresAt: expiresAt() })),
    /** Undefined for all that is foreign, changed or too old. */
    openJourney: (sealed: string): SignInFlow | undefined => live(Journey.safeParse(opened(sealed))),
    sealOffer: (offer: ConnectOffer): string =>
      sealer.seal(JSON.stringify({ ...offer, kind: "offer", expiresAt: expiresAt() })),
    openOffer: (sealed: string): ConnectOffer | undefined => live(Offer.safeParse(opened(sealed))),
  };
}
