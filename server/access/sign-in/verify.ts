import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { isOwnOrigin } from "../../http/authenticate.ts";
import type { Browser, ConsoleCaller } from "../../http/handler.ts";
import { verifyPassword } from "../../secrets/passwords.ts";
import { type UserRow, users } from "../accounts/store.ts";
import { isFresh } from "./rules.ts";
import { consoleSessions } from "./store.ts";

/**
 * Throws `forbidden` for a request from a page of another site. Otherwise such a page could sign a person in to the
 * account of an attacker.
 */
export function refuseForeignPage({ settings }: Pick<Deps, "settings">, { origin }: Browser): void {
  if (origin === undefined || isOwnOrigin(origin, settings)) return;
  throw new ApiError("forbidden", { message: "Sign in from a page of the console." });
}

/**
 * Returns the account with this address and password. Throws `invalid_credentials` if there is none. The error does not
 * say whether the account is unknown or the password is wrong.
 */
export async function verifiedUser(
  { database }: Pick<Deps, "database">,
  email: string,
  password: string,
): Promise<UserRow> {
  const user = await users.findByEmail(database, email);
  const verified = await verifyPassword(user?.passwordHash, password);
  if (!user || !verified) throw new ApiError("invalid_credentials");
  return user;
}

/**
 * Throws `invalid_credentials` if the password was changed after it was verified. Locks the password until the
 * transaction ends.
 */
export async function assertPasswordUnchanged(tx: Transaction, user: UserRow): Promise<void> {
  if (!(await users.lockPassword(tx, user.id, user.passwordHash))) throw new ApiError("invalid_credentials");
}

/**
 * Throws `wrong_state` if the sign-in is not recent. A stranger who finds a signed-in browser must not get lasting
 * access, or lock the owner out.
 */
export async function assertFreshSession(
  { clock, database }: Pick<Deps, "clock" | "database">,
  { id, userId }: ConsoleCaller,
): Promise<void> {
  const now = clock.now();
  const rows = await consoleSessions.list(database, userId, now.toISOString());
  if (isFresh(rows.find(({ tokenHash }) => tokenHash === id)?.createdAt, now)) return;
  throw new ApiError("wrong_state", {
    message:
      "You signed in more than ten minutes ago. Sign out, sign in again, and then do this within ten minutes.",
  });
}
