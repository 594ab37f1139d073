/**
 * A file that arrived with a request and already lies on disk: what its label claimed and what its bytes are.
 * It only states facts; the field that holds it judges them.
 */
export interface ReceivedFile {
  readonly receivedFile: true;
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
  /** SHA-256 of the decoded bytes, in hex. */
  readonly sha256: string;
  /** Where the bytes lie until they are kept or dropped. */
  readonly path: string;
}

export const isReceivedFile = (value: unknown): value is ReceivedFile =>
  typeof value === "object" && value !== null && "receivedFile" in value && value.receivedFile === true;
