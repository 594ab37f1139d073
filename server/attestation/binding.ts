import { hash, timingSafeEqual } from "node:crypto";

/**
 * What a device asks Google for as nonce (classic request) or request hash (standard request): base64url, without
 * padding, of the SHA-256 of code, line feed and device id in UTF-8. A token is good for one exchange only.
 */
export const bindingOf = (code: string, deviceId: string): string =>
  hash("sha256", `${code}\n${deviceId}`, "base64url");

/** Makes the comparison with the binding of one exchange, which takes equally long wherever they differ. */
export function bindingCheck(code: string, deviceId: string): (given: string) => boolean {
  const expected = Buffer.from(bindingOf(code, deviceId));
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}
