// A symbol, because no JSON body can hold one: an object that only looks like a received file must not pass for one.
const mark: unique symbol = Symbol("received file");

/**
 * A file that arrived with a request and already lies on disk: what its label claimed and what its bytes are.
 * It only states facts; the field that holds it judges them.
 */
export interface ReceivedFile {
  readonly [mark]: true;
  /** The media type that the sender declared, lower case without parameters; null where there was none. */
  readonly declaredType: string | null;
  /** The media type that the first bytes show; null where they show none that we know. */
  readonly detectedType: string | null;
  /** Decoded bytes. Once this passes the field's limit the rest is read and counted, but not kept. */
  readonly size: number;
  /** The file name that the sender gave, as it came. */
  readonly name: string | null;
  /** What was wrong with the encoding. */
  readonly fault: "not_a_data_url" | "not_base64" | null;
  /** SHA-256 of the bytes that were kept, in hex; empty where there were none to write. */
  readonly sha256: string;
  /** Where the bytes lie until they are kept or dropped; empty where there were none to write. */
  readonly path: string;
}

/** The one way to make a ReceivedFile. */
export const receivedFile = (facts: Omit<ReceivedFile, typeof mark>): ReceivedFile => ({
  ...facts,
  [mark]: true,
});

export const isReceivedFile = (value: unknown): value is ReceivedFile =>
  typeof value === "object" && value !== null && mark in value && value[mark] === true;
