import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";

/** The state of a sign-in with a provider. `startedBy` is the account that was signed in at its start. */
const Flow = z.object({
  kind: z.literal("journey"),
  providerId: z.string(),
  way: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  to: z.string(),
  startedBy: z.optional(z.string()),
  expiresAt: z.number(),
});
export type SignInFlow = Omit<z.output<typeof Flow>, "kind" | "expiresAt">;

/** A proven identity that can be connected to an account. */
const Offer = z.object({
  kind: z.literal("offer"),
  proven: z.object({ providerId: z.string(), issuer: z.string(), subject: z.string() }),
  userId: z.string(),
  to: z.string(),
  expiresAt: z.number(),
});
export type ConnectOffer = Omit<z.output<typeof Offer>, "kind" | "expiresAt">;

export const lifetimeSeconds = 600;

/** Seals state that the browser keeps for ten minutes. Only this deployment can read or write it. */
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
    sealFlow: (flow: SignInFlow): string =>
      sealer.seal(JSON.stringify({ ...flow, kind: "journey", expiresAt: expiresAt() })),
    /** Undefined for a value that is foreign, changed or expired. */
    openFlow: (sealed: string): SignInFlow | undefined => live(Flow.safeParse(opened(sealed))),
    sealOffer: (offer: ConnectOffer): string =>
      sealer.seal(JSON.stringify({ ...offer, kind: "offer", expiresAt: expiresAt() })),
    openOffer: (sealed: string): ConnectOffer | undefined => live(Offer.safeParse(opened(sealed))),
  };
}
