import { ApiError, type ErrorDetails } from "../../../src/contract/errors.ts";
import { fileFault } from "../../../src/contract/fields.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/files.ts";
import type { Issue } from "../../../src/contract/issues.ts";
import { proofImages } from "../../../src/contract/limits.ts";
import type { tester as contract, NewProof } from "../../../src/contract/tester.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { type ReceivedUpload, uploadOf } from "../../feedback/reports/uploads.ts";
import { uploads } from "../../files/uploads-store.ts";
import { type AnswerOf, type Handlers, type Request, withTraits } from "../../http/handler.ts";
import { isOver } from "../days/rules.ts";
import { storeCountedEvent } from "../cycles/counted-event.ts";
import { countedDays } from "../cycles/slots-store.ts";
import { testedSlotOf, testerSlotOf } from "./answer.ts";
import { testerSlots } from "./store.ts";
import { isPassingRefusal, judgeProof, wouldHaveBeenAccepted } from "../days/proofs-rules.ts";
import { proofs as rows } from "./proofs-store.ts";

type ProofsDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "newId" | "time">;

/**
 * Returns the handler for a proof of the current day. It stores the images of the proof and counts the day. (rule T29)
 */
export const proofs = (deps: ProofsDeps): Pick<Handlers<typeof contract>, "submitProof"> => ({
  submitProof: withTraits(
    { keptRefusals: ["slot_not_active"], catchesUp: { of: "slot", by: "body.slotId" } },
    (request) => submitProof(deps, request),
  ),
});

async function submitProof(
  deps: ProofsDeps,
  { caller, body, save }: Request<typeof contract.submitProof>,
): Promise<AnswerOf<typeof contract.submitProof>> {
  const submission = { testerId: caller.userId, body };
  const accepted = await accept(deps, deps.database, submission);
  const images = proofImagesOf(body);
  const received = images.map((image) => image.received);
  const first = (tx: Transaction) => deps.keptFiles.secure(tx, received);
  const count = async (tx: Transaction) => {
    const proofId = deps.newId();
    const at = deps.clock.now();
    const day = { ...accepted, kind: "proof", evidenceId: proofId, at: at.toISOString() } as const;
    if (!(await countedDays.count(tx, day))) throw await refusalNow(deps, tx, submission);
    await storeCountedEvent(tx, deps.newId(), day);
    await insert(tx, { ...accepted, proofId, at }, { body, images });
    return { proofId, slotId: accepted.slotId, dayIndex: accepted.dayIndex, submitted: true };
  };
  return deps.keptFiles.keepFor(received, () => save(count, { first }));
}

interface Submission {
  readonly testerId: string;
  readonly body: NewProof;
}

interface Accepted {
  readonly slotId: string;
  readonly cycleId: string;
  readonly appId: string;
  readonly dayIndex: number;
}

/**
 * Decides from the present state of the slot whether a proof is accepted. Returns the day that counts because of the
 * proof. Throws an error with the reason if the proof is refused.
 */
async function accept(
  { clock, time }: Pick<Deps, "clock" | "time">,
  reader: Reader,
  { testerId, body }: Submission,
): Promise<Accepted> {
  const row = await testerSlots.find(reader, body.slotId, testerId);
  if (!row) throw new ApiError("not_found");
  const now = clock.now();
  const faults = imageFaults(body);
  const slot = testedSlotOf(testerSlotOf(row, now));
  const proof = { capturedAt: body.capturedAt, imageFaults: faults };
  const verdict = judgeProof(proof, slot, now);
  const { dayIndex } = verdict;
  if (!verdict.accepted && time.isDoubtful() && wouldHaveBeenAccepted(proof, slot)) throw doubtfulTime();
  if (verdict.accepted) return { slotId: row.slotId, cycleId: row.cycleId, appId: row.appId, dayIndex };
  const { code } = verdict;
  const isPassing = isPassingRefusal({ code, capturedAt: body.capturedAt }, slot, now);
  if (code === "slot_not_active" || code === "cycle_not_running") throw new ApiError(code, { isPassing });
  const isOfImages = code === "no_images" || code === "bad_image";
  const isAfterTheTest = code === "out_of_window" && isOver(slot.cycle, now.toISOString());
  throw new ApiError(code, {
    dayIndex,
    isPassing,
    ...(isOfImages ? imageDetails(faults) : {}),
    ...(isAfterTheTest
      ? { message: row.verificationTier === "sdk" ? daysAreOver : daysAreOverForProofs }
      : {}),
  });
}

const daysAreOver =
  "The days of the test are over, so no proof is accepted. A session of the last day still counts if it is reported before the test ends.";

/** The message if the app of the test does not report sessions, so no session can still count. */
const daysAreOverForProofs = "The days of the test are over, so no proof is accepted.";

/** Returns the reason why a proof is refused now, although the first check accepted it. */
async function refusalNow(deps: ProofsDeps, tx: Transaction, submission: Submission): Promise<ApiError> {
  const { dayIndex } = await accept(deps, tx, submission);
  return new ApiError("already_submitted", { dayIndex });
}

async function insert(
  tx: Transaction,
  { proofId, slotId, appId, dayIndex, at }: Accepted & { readonly proofId: string; readonly at: Date },
  { body, images }: { readonly body: NewProof; readonly images: readonly ProofImage[] },
): Promise<void> {
  const { capturedAt, queuedAt, note } = body;
  const createdAt = at.toISOString();
  const sent = { capturedAt, queuedAt: queuedAt || null, note: note || null };
  await rows.insert(tx, { id: proofId, slotId, dayIndex, createdAt, ...sent });
  for (const [position, { upload }] of images.entries()) {
    // The upload times differ by a millisecond, which keeps the order of the images.
    const uploadedAt = new Date(at.getTime() + position).toISOString();
    await uploads.insert(tx, { ...upload, appId, proofId, createdAt: uploadedAt });
  }
}

/** A received image of a proof, and the upload that is stored for it. */
interface ProofImage {
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** Returns for each image of a proof what is wrong with it; undefined for a valid image. */
const imageFaults = ({ images = [] }: Pick<NewProof, "images">): (string | undefined)[] =>
  images.map((image) => fileFault(image, proofImages));

/** Returns the details of an error about images: the wrong images and the reasons. */
function imageDetails(faults: readonly (string | undefined)[]): ErrorDetails {
  if (faults.length === 0)
    return { issues: [{ path: "images", message: "must contain at least one image" }] };
  const issues = faults.flatMap((message, at): Issue[] =>
    message ? [{ path: `images.${at}`, message }] : [],
  );
  const named = issues.map(({ path, message }) => `${path} ${message}`);
  return { issues, message: `An image cannot be used: ${named.join("; ")}.` };
}

/** Returns the valid images of a proof, in order. */
const proofImagesOf = ({ images = [] }: Pick<NewProof, "images">): ProofImage[] =>
  images.flatMap((image) =>
    isReceivedFile(image) && image.detectedType !== null
      ? [{ received: image, upload: uploadOf(image, image.detectedType) }]
      : [],
  );
