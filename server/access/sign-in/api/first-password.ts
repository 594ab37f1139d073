import type { session as contract } from "../../../../src/contract/console-session.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import type { ConsoleCaller, Handler } from "../../../http/handler.ts";
import { hashPassword } from "../../../secrets/passwords.ts";
import { noticeAccount } from "../../accounts/notice.ts";
import { users } from "../../accounts/store.ts";
import { createAuditWriter } from "../../audit/record.ts";
import { type ProvingDeps, proveSecondFactor } from "../../sign-in-methods/prove.ts";
import { accountLinks } from "../account-links.ts";
import { isFresh } from "../fresh-session.ts";
import { consoleSessions } from "../store.ts";

/**
 * Gives an account that signs in with a provider its first password. There is no old one to ask for, so the sign-in must be
 * fresh, and the second factor is asked for again. Ends all other sessions. (rule S31)
 */
export function firstPassword(deps: ProvingDeps): Handler<typeof contract.firstPassword> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId, email } = caller;
    if ((await users.find(deps.database, userId))?.passwordHash) throw hasOne();
    await assertFreshSession(deps, caller);
    const proving = { user: { id: userId, email }, address, known: `session:${caller.id}`, code: body.code };
    const spend = await proveSecondFactor(deps, proving);
    const change = { old: "", fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      await spend(tx);
      if (!(await users.changePassword(tx, userId, change))) throw hasOne();
      await consoleSessions.removeOthers(tx, userId, caller.id);
      await accountLinks.removeAll(tx, userId);
      await record(tx, { caller, address }, { action: "user.password", target: userId });
      await noticeAccount(deps, tx, { what: "firstPassword", email, address });
      return undefined;
    });
  };
}

const hasOne = () =>
  new ApiError("wrong_state", { message: "This account has a password already. Change it instead." });

/** A stranger at an open browser must not gain lasting access, or lock its owner out. Throws `wrong_state`. */
export async function assertFreshSession(
  { clock, database }: Pick<Deps, "clock" | "database">,
  { id, userId }: ConsoleCaller,
): Promise<void> {
  const now = clock.now();
  const rows = await consoleSessions.list(database, userId, now.toISOString());
  if (isFresh(rows.find(({ tokenHash }) => tokenHash === id)?.createdAt, now)) return;
  throw new ApiError("wrong_state", {
    message: "You signed in more than ten minutes ago. Sign out, sign in again, and do this then.",
  });
}
