import { ApiError } from "../../src/contract/errors.ts";
import type { FoundAnswer } from "./idempotency-store.ts";

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
