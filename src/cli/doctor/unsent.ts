import type { Invocation } from "../core/context.ts";
import type { Spool } from "../delivery/spool.ts";
import { resendOf, type SpooledItem } from "../delivery/spooled-item.ts";
import { type Finding, warning } from "./finding.ts";

/** Reports and proofs that no server has yet. */
export async function checkUnsent(invocation: Invocation): Promise<Finding[]> {
  const { openFeedbackSpool } = await import("../delivery/spools.ts");
  const { openProofSpool } = await import("../delivery/proof-spool.ts");
  const found = await Promise.all([
    unsentIn(openFeedbackSpool(invocation)),
    unsentIn(openProofSpool(invocation)),
  ]);
  return found.flat();
}

async function unsentIn<I extends SpooledItem>({ kind, list }: Spool<I>): Promise<Finding[]> {
  const { items, damaged } = await list();
  const waiting = items.length === 1 ? `One ${kind.word} waits` : `${items.length} ${kind.word}s wait`;
  const servers = [...new Set(items.map(({ baseUrl }) => baseUrl))].join(", ");
  const findings = damaged.map((folder) =>
    warning("unsent", {
      what: `${folder} holds no readable ${kind.word}.`,
      why: "It cannot be sent.",
      next: `Look into it, then remove it: rm -r "${folder}"`,
    }),
  );
  if (items.length === 0) return findings;
  return [
    warning("unsent", {
      what: `${waiting} on this machine for ${servers}.`,
      why: "No server has confirmed them.",
      next: `${resendOf(kind, "--list")}, then ${resendOf(kind, "--all")}`,
    }),
    ...findings,
  ];
}
