import { hash, verify } from "@node-rs/argon2";

/** OWASP's minimum for Argon2id, the library's default algorithm: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of no password, with the same cost. It is verified if there is no account, so that the time tells nothing. */
const decoy = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The one spelling of an e-mail address under which its account is stored. */
export const normaliseEmail = (email: string): string =>
  // Lower-case letters may compose although their capitals do not, for example ǰ.
  email.trim().normalize("NFC").toLowerCase().normalize("NFC");

/** The Argon2id hash of a password, in the form that is stored. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize("NFC"), cost);

/** Whether the password has this hash. Takes as long if there is no hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(stored || decoy, password.normalize("NFC"));
  return matches && stored !== undefined && stored !== "";
}
