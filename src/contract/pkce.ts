/** The form of a code verifier. (RFC 7636 4.1) (rule S11) */
export const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/;

/** The form of a code challenge: SHA-256 in base64url. */
export const challengePattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the challenge of a verifier: base64url of its SHA-256. Client and server use this function. (RFC 7636
 * 4.2, S256)
 */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace("=", "");
}
