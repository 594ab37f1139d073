import { dayIndexAt } from "./rules.ts";
import { isActive, type TestedSlot } from "./sessions-rules.ts";

/** What is wrong with an image of a proof; undefined for a valid image. */
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
      /** The day of the test that the proof is for. */
      readonly dayIndex: number;
    };

/**
 * Decides whether a proof is accepted. If it breaks several rules, the first of them is the reason of the refusal. The
 * `verificationTier` of the listing does not matter. (rules T28, T34)
 */
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

  if (slot.cycle.status !== "running") return refuse("cycle_not_running");
  if (!isActive(slot)) return refuse("slot_not_active");
  if (!isToday(dayIndex, slot, now)) return refuse("out_of_window");
  if (slot.countedDays.has(dayIndex)) return refuse("already_submitted");
  if (imageFaults.length === 0) return refuse("no_images");
  if (imageFaults.some((fault) => fault !== undefined)) return refuse("bad_image");
  return { accepted: true, dayIndex };
}

/**
 * Whether a proof would have been accepted at the time of its capture. If so, it is refused only because it arrived too
 * late.
 */
export function wouldHaveBeenAccepted(
  proof: { readonly capturedAt: string; readonly imageFaults: readonly ImageFault[] },
  slot: TestedSlot,
): boolean {
  const { cycle } = slot;
  const begun = cycle.status === "recruiting" ? { ...cycle, status: "running" } : cycle;
  return judgeProof(proof, { ...slot, cycle: begun }, new Date(proof.capturedAt)).accepted;
}

/**
 * Whether a proof was captured on the current day. The time of capture may be later than the server's time, because the
 * clocks of devices differ.
 */
function isToday(dayIndex: number, { cycle }: TestedSlot, now: Date): boolean {
  const inTest = dayIndex >= 1 && dayIndex <= cycle.durationDays;
  return inTest && dayIndex === dayIndexAt(cycle, now.toISOString());
}

/**
 * Whether a proof was refused only because its day or the test has not begun yet. The same proof may be accepted later.
 */
export const isPassingRefusal = (
  { code, capturedAt }: { readonly code: string; readonly capturedAt: string },
  { cycle }: TestedSlot,
  now: Date,
): boolean =>
  capturedAt > now.toISOString() &&
  (code === "out_of_window" || (code === "cycle_not_running" && cycle.status === "recruiting"));
