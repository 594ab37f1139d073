/**
 * The JSON that ntfy accepts at the root of a server, written from https://docs.ntfy.sh/publish/#publish-as-json.
 * Nobody publishes types of it.
 */
export interface NtfyMessage {
  /** The only required field. */
  readonly topic: string;
  /** `triggered` if it is missing or empty. */
  readonly message?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** From 1, the lowest, to 5; 3 if it is missing. */
  readonly priority?: 1 | 2 | 3 | 4 | 5;
  readonly actions?: readonly object[];
  /** The address that a click opens. */
  readonly click?: string;
  readonly attach?: string;
  readonly markdown?: boolean;
  readonly icon?: string;
  readonly filename?: string;
  readonly delay?: string;
  readonly email?: string;
  readonly call?: string;
}

/** The limits of texts and addresses in the documentation. */
export const ntfyLimits = {
  topic: /^[-_A-Za-z0-9]{1,64}$/,
  /** A longer message becomes an attachment. */
  messageBytes: 4_096,
  click: /^https?:\/\//,
} as const;
