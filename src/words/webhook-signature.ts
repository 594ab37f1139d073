import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** Returns a new secret in the form of Standard Webhooks: 192 random bits. */
export const newWebhookSecret = (): string => prefix + randomBytes(24).toString("base64");

/** Whether a text is a secret in the form of Standard Webhooks, with 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const { length } = Buffer.from(text.slice(prefix.length), "base64");
  return /^whsec_[A-Za-z0-9+/]+=*$/.test(text) && length >= 24 && length <= 64;
}

/** The message that a receiver gets. */
interface SignedMessage {
  readonly id: string;
  /** When the message is sent, in seconds since 1970. */
  readonly seconds: number;
  readonly body: string;
}

/**
 * Returns the headers of Standard Webhooks. Each secret has a signature, so that receivers can change secrets.
 * (rule O26)
 */
export const webhookHeaders = (
  { id, seconds, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": secrets.map((secret) => `v1,${signatureOf({ id, seconds, body }, secret)}`).join(" "),
});

const signatureOf = ({ id, seconds, body }: SignedMessage, secret: string): string =>
  createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(`${id}.${seconds}.${body}`)
    .digest("base64");
