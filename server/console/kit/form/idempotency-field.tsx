import { randomUUID } from "node:crypto";

/** A value of its own for every form that is shown: sent twice, by a double click or from the history, it acts once. */
export const IdempotencyField = () => <input type="hidden" name="once" value={randomUUID()} />;
