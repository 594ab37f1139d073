import { hash, verify } from "@node-rs/argon2";

/** What OWASP asks of Argon2id, which is the library's default kind: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of the same cost, and of no password: verified where there is no account, so that it takes as long. */
const decoy = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** One account has one spelling of its e-mail address. */
export const normaliseEmail = (email: string): string =>
  // Small letters may compose where capitals do not, such as ǰ.
  email.trim().normalize("NFC").toLowerCase().normalize("NFC");

/** The Argon2id hash of a password, as it is stored. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize("NFC"), cost);

/** Whether it is the password of that hash; where there is no hash it takes as long to say no. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(stored || decoy, password.normalize("NFC"));
  return matches && stored !== undefined && stored !== "";
}
