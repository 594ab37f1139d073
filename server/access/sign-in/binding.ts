import { hash, timingSafeEqual } from "node:crypto";

/**
 * The value that a device sends to Google as nonce (classic request) or request hash (standard request): base64url,
 * without padding, of the SHA-256 of subject, line feed and device id in UTF-8. The subject is the code of an exchange,
 * or the e-mail address of an account with a password. A token is valid for that sign-in only.
 */
export const bindingOf = (subject: string, deviceId: string): string =>
  hash("sha256", `${subject}\n${deviceId}`, "base64url");

/** Makes a function that compares a value with the binding of one sign-in in constant time. */
export function bindingCheck(subject: string, deviceId: string): (given: string) => boolean {
  const expected = Buffer.from(bindingOf(subject, deviceId));
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}
