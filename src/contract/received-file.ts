// A symbol, because no JSON body can contain one: an object that looks like a received file must not be taken for one.
const mark: unique symbol = Symbol("received file");

/**
 * A file of a request, stored on disk: its declared properties and the properties of its bytes. The field that holds the
 * file judges them.
 */
export interface ReceivedFile {
  readonly [mark]: true;
  /** The declared media type, in lower case without parameters; null if none was declared. */
  readonly declaredType: string | null;
  /** The media type that the first bytes show; null for an unknown one. */
  readonly detectedType: string | null;
  /** The number of decoded bytes. Bytes over the field's limit are read and counted, but not stored. */
  readonly size: number;
  /** The file name that the sender gave, unchanged. */
  readonly name: string | null;
  /** The fault of the encoding. */
  readonly fault: "not_a_data_url" | "not_base64" | null;
  /** SHA-256 of the stored bytes, in hex; empty if there were none. */
  readonly sha256: string;
  /** Where the bytes are until they are kept or deleted; empty if there were none. */
  readonly path: string;
}

/** The one way to make a ReceivedFile. */
export const receivedFile = (facts: Omit<ReceivedFile, typeof mark>): ReceivedFile => ({
  ...facts,
  [mark]: true,
});

export const isReceivedFile = (value: unknown): value is ReceivedFile =>
  typeof value === "object" && value !== null && mark in value && value[mark] === true;
