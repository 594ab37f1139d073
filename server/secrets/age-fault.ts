/** What is wrong with keys or with an encrypted file. */
export type AgeFaultKind =
  /** The text holds no usable key. */
  | "key"
  /** The beginning of the file is not a header, or has changed. */
  | "header"
  /** The file is encrypted for other keys. */
  | "other key"
  /** The content has changed or is incomplete. */
  | "content";

/** Keys or an encrypted file cannot be used. The message is for the operator and holds no secret. */
export class AgeFault extends Error {
  readonly kind: AgeFaultKind;

  constructor(kind: AgeFaultKind, message: string) {
    super(message);
    this.name = "AgeFault";
    this.kind = kind;
  }
}
