import { dayIndexAt } from "./test-days.ts";
import { isActive, isAhead, type TestedSlot } from "./test-session-verdict.ts";

/** What is wrong with an image of a proof; undefined where nothing is. */
export type ImageFault = string | undefined;

export type ProofVerdict =
  | { readonly accepted: true; readonly dayIndex: number }
  | {
      readonly accepted: false;
      readonly code:
        | "slot_not_active"
        | "cycle_not_running"
        | "out_of_window"
        | "already_submitted"
        | "no_images"
        | "bad_image";
      /** The day that it was for. */
      readonly dayIndex: number;
    };

/** Decides on a proof. The first rule that fails is the answer. (rule T28) */
export function judgeProof(
  { capturedAt, imageFaults }: { readonly capturedAt: string; readonly imageFaults: readonly ImageFault[] },
  slot: TestedSlot,
  now: Date,
): ProofVerdict {
  const dayIndex = dayIndexAt(slot.cycle, capturedAt);
  const refuse = (code: Extract<ProofVerdict, { accepted: false }>["code"]): ProofVerdict => ({
    accepted: false,
    code,
    dayIndex,
  });

  if (!isActive(slot)) return refuse("slot_not_active");
  if (slot.cycle.status !== "running") return refuse("cycle_not_running");
  if (!isToday(capturedAt, dayIndex, slot, now)) return refuse("out_of_window");
  if (slot.countedDays.has(dayIndex)) return refuse("already_submitted");
  if (imageFaults.length === 0) return refuse("no_images");
  if (imageFaults.some((fault) => fault !== undefined)) return refuse("bad_image");
  return { accepted: true, dayIndex };
}

/** Whether a proof would have been accepted at the moment of its capture: where it is not, only the time now refuses it. */
export function wouldHaveBeenAccepted(
  proof: { readonly capturedAt: string; readonly imageFaults: readonly ImageFault[] },
  slot: TestedSlot,
): boolean {
  const { cycle } = slot;
  const begun = cycle.status === "recruiting" ? { ...cycle, status: "running" } : cycle;
  return judgeProof(proof, { ...slot, cycle: begun }, new Date(proof.capturedAt)).accepted;
}

/** The day lock: a proof is of today, and of a moment that has been. */
function isToday(capturedAt: string, dayIndex: number, { cycle }: TestedSlot, now: Date): boolean {
  const inTest = dayIndex >= 1 && dayIndex <= cycle.durationDays;
  return inTest && dayIndex === dayIndexAt(cycle, now.toISOString()) && !isAhead(capturedAt, now);
}
