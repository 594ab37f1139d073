import { hash, timingSafeEqual } from "node:crypto";

/**
 * What a device asks Google for as nonce (classic request) or request hash (standard request): base64url, without
 * padding, of the SHA-256 of subject, line feed and device id in UTF-8. The subject is the code of an exchange, or the e-mail
 * address of an account with a password. A token is good for that sign-in only.
 */
export const bindingOf = (subject: string, deviceId: string): string =>
  hash("sha256", `${subject}\n${deviceId}`, "base64url");

/** Makes the comparison with the binding of one sign-in, which takes equally long wherever they differ. */
export function bindingCheck(subject: string, deviceId: string): (given: string) => boolean {
  const expected = Buffer.from(bindingOf(subject, deviceId));
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}
