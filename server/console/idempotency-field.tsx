import { randomUUID } from "node:crypto";

/** A unique value in every form. A form that is sent twice, by a double click or from the history, acts once. */
export const IdempotencyField = () => <input type="hidden" name="once" value={randomUUID()} />;
