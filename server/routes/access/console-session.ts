import type { session as contract } from "../../../src/contract/console/console-session.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { isOwnOrigin } from "../../http/authenticate.ts";
import type { ConsoleCaller, Handler, Handlers, Request } from "../../http/handler.ts";
import { knownBrowser } from "../../http/known-browser.ts";
import { hashPassword, normaliseEmail, verifyPassword } from "../../secrets/passwords.ts";
import { apps } from "../../store/access/apps.ts";
import { consoleSessions } from "../../store/access/console-sessions.ts";
import { type UserRow, users } from "../../store/access/users.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { createAuditWriter } from "./audit-record.ts";
import { newConsoleSession, startConsoleSession } from "./new-console-session.ts";
import { beginAttempt, succeed } from "./sign-in-attempt.ts";

export function consoleSession(
  deps: Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async create({ body, address, browser, save, setSession }) {
      refuseForeignPage(deps, browser);
      const email = normaliseEmail(body.email);
      const known = knownBrowser.idFor(deps.sealer, browser.known, email);
      const counted = await beginAttempt(deps, { email, address, known });
      const user = await verifiedUser(deps, email, body.password);
      const opened = newConsoleSession(deps);
      const answer = await save(async (tx) => {
        await assertPasswordStands(tx, user);
        await succeed(tx, counted);
        await startConsoleSession(deps, tx, { opened, user, old: browser.sessionId, address });
        return { user: { id: user.id, email: user.email } };
      });
      setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, email) });
      return answer;
    },

    async remove({ caller, address, save, setSession }) {
      await save(async (tx) => {
        await consoleSessions.remove(tx, caller.id);
        await record(tx, { caller, address }, { action: "session.delete" });
        return undefined;
      });
      setSession(null);
      return undefined;
    },

    changePassword: changePassword(deps),

    me: async ({ caller }) => ({
      user: { id: caller.userId, email: caller.email },
      scopes: [...caller.scopes],
      app: await appOf(deps, caller),
      tokenId: caller.kind === "maintainerToken" ? caller.id : null,
    }),
  };
}

/** Ends all other sessions of the account, also stolen ones. Tokens and devices are not affected. */
function changePassword(
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings">,
): Handler<typeof contract.changePassword> {
  const record = createAuditWriter(deps);
  return async ({ body, caller, address, save }) => {
    const known = `session:${caller.id}`;
    const counted = await beginAttempt(deps, { email: caller.email, address, known });
    const user = await verifiedUser(deps, caller.email, body.currentPassword);
    const change = { old: user.passwordHash, fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      if (!(await users.changePassword(tx, user.id, change))) throw new ApiError("invalid_credentials");
      await succeed(tx, counted);
      await consoleSessions.removeOthers(tx, user.id, caller.id);
      await record(tx, { caller, address }, { action: "user.password", target: user.id });
      return undefined;
    });
  };
}

/** The one app to which the credential is limited, or null. */
async function appOf(
  { database }: Pick<Deps, "database">,
  caller: ConsoleCaller,
): Promise<{ id: string; name: string } | null> {
  const app = caller.appId === null ? undefined : await apps.find(database, caller.appId, caller);
  return app ? { id: app.id, name: app.name } : null;
}

type Browser = Request["browser"];

/**
 * Without this check a page of another site could sign a person in to a foreign account. Signing in needs no console
 * session.
 */
function refuseForeignPage({ settings }: Pick<Deps, "settings">, { origin }: Browser): void {
  if (origin === undefined || isOwnOrigin(origin, settings)) return;
  throw new ApiError("forbidden", { message: "Sign in from a page of the console." });
}

/** The account with this address and password. An unknown account and a wrong password get the same refusal. */
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
 * Throws `invalid_credentials` if the password was changed after it was verified, because the old one must not work any
 * more.
 */
export async function assertPasswordStands(tx: Transaction, user: UserRow): Promise<void> {
  if (!(await users.holdPassword(tx, user.id, user.passwordHash))) throw new ApiError("invalid_credentials");
}
