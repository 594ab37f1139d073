/** Whether this is a name of kept files: a SHA-256 in hex. */
export const isName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

export function assertName(sha256: string): void {
  if (!isName(sha256)) throw new Error("Not a SHA-256 in hex");
}
