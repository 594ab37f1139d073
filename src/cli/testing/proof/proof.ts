import type { FileContent, SentFile } from "../../../client/calls/file-content.ts";
import { type Form, formBody } from "../../../client/calls/form-body.ts";
import type { SpooledItem } from "../../delivery/spooled-item.ts";

/** A proof on its way to a server. */
export interface Proof extends SpooledItem {
  readonly fields: {
    readonly slotId: string;
    readonly capturedAt: string;
    readonly queuedAt: string;
    readonly note?: string;
  };
  readonly images: readonly SentFile[];
}

/** The request of a proof; the same bytes each time it is sent. */
export const bodyOf = ({ id, fields, images }: Proof): FileContent => formBody(formOf(fields, images), id);

const formOf = (fields: Proof["fields"], images: readonly SentFile[]): Form => ({
  fields: { ...fields },
  files: { images },
});
