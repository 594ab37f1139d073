import { type FileContent, type Form, formBody, type SentFile } from "../../client/body.ts";
import type { SpooledItem } from "./spool.ts";

/** A proof on its way to a server. */
export interface Proof extends SpooledItem {
  readonly fields: {
    readonly slotId: string;
    readonly capturedAt: string;
    readonly queuedAt: string;
    readonly note?: string;
  };
  readonly images: readonly SentFile[];
  /**
   * What was given instead of the whole id of the slot: its start, or nothing for the only slot. The server is asked for the
   * id before the proof is sent; until then `fields.slotId` is `noSlot`.
   */
  readonly wantedSlot?: string;
}

export const noSlot = "00000000-0000-0000-0000-000000000000";

/** The request of a proof; the same bytes each time it is sent. */
export const bodyOf = ({ id, fields, images }: Proof): FileContent => formBody(formOf(fields, images), id);

const formOf = (fields: Proof["fields"], images: readonly SentFile[]): Form => ({
  fields: { ...fields },
  files: { images },
});
