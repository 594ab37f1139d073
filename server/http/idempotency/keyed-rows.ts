import { ApiError } from "../../../src/contract/errors.ts";
import type { Inserter, Outcome } from "../../store/engine/database.ts";
import { insertTogether } from "../../store/engine/insert-rows.ts";
import { sharedWork } from "../../store/engine/shared-work.ts";
import { claimTogether } from "../../store/requests/claim-together.ts";
import {
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type StoredAnswer,
} from "../../store/requests/idempotency.ts";

/** A request with an Idempotency-Key whose work is one insert, and whose answer is known before. */
export interface KeyedRow {
  readonly request: IdempotencyKey;
  readonly answer: StoredAnswer;
  readonly insert: (into: Inserter) => Promise<void>;
  /** When the request is answered. */
  readonly now: Date;
}

/** SQLite: saves the rows and the answers that wait for the same commit. A key that is taken is an error of its request alone. */
export const keyedRows = sharedWork<KeyedRow, "saved">(async (tx, waiting) => {
  const now = waiting[0]?.now ?? new Date();
  const claims = await claimTogether(tx, waiting, now);
  const claimed = waiting.filter((_, place) => claims[place] === "claimed");
  await insertTogether(
    tx,
    claimed.map(({ insert }) => insert),
  );
  const outcomes: Outcome<"saved">[] = [];
  for (const [place, { request }] of waiting.entries()) {
    if (claims[place] === "claimed") {
      outcomes.push({ value: "saved" });
      continue;
    }
    const answer = claims[place] === "stored" ? await idempotency.find(tx, request, now) : undefined;
    outcomes.push({ error: answer ? new AlreadyAnswered(answer) : inProgress() });
  }
  return outcomes;
});

export const inProgress = (): ApiError => new ApiError("idempotency_in_progress", { retryAfterSeconds: 1 });

/** Thrown when another request with the same idempotency key has just been answered: this request gets the same answer. */
export class AlreadyAnswered extends Error {
  readonly answer: FoundAnswer;

  constructor(answer: FoundAnswer) {
    super("This request was already answered");
    this.name = "AlreadyAnswered";
    this.answer = answer;
  }
}
