import { chosenArgon2 } from "./argon2.ts";

/** A hash of no password, with the usual cost. It is verified if there is no account, so that the time does not show whether there is one. */
const decoy = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The one spelling of an e-mail address under which its account is stored. */
export const normaliseEmail = (email: string): string =>
  // Lower-case letters may compose although their capitals do not, for example ǰ.
  email.trim().normalize("NFC").toLowerCase().normalize("NFC");

/** The Argon2id hash of a password, in the form that is stored. */
export async function hashPassword(password: string): Promise<string> {
  const { argon2 } = await chosenArgon2();
  return argon2.hash(password.normalize("NFC"));
}

/** Whether the password has this hash. Takes as long if there is no hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const { argon2 } = await chosenArgon2();
  const matches = await argon2.verify(stored || decoy, password.normalize("NFC"));
  return matches && stored !== undefined && stored !== "";
}

/** A sentence for the log, if hashes are made slower than this machine could make them. */
export async function passwordWarning(): Promise<string | undefined> {
  const { warning } = await chosenArgon2();
  return warning;
}
