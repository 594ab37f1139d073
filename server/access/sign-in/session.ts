import type { session as contract } from "../../../src/contract/console-session.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { knownBrowser } from "../../http/authenticate.ts";
import type { ConsoleCaller, Handler, Handlers, Request } from "../../http/handler.ts";
import { hashPassword, normaliseEmail } from "../../secrets/passwords.ts";
import { type NoticeDeps, notifyAccount } from "../accounts/notice.ts";
import { type UserRow, users } from "../accounts/store.ts";
import { apps } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import {
  type ProvingDeps,
  passkeyRequestFor,
  proveSecondFactor,
  type Spend,
} from "../sign-in-methods/prove.ts";
import { passkeys } from "../sign-in-methods/store.ts";
import { beginAttempt, uncountAttempt } from "./attempts.ts";
import { newConsoleSession, openStep, sealStep, startConsoleSession, stepOf } from "./start-session.ts";
import { accountLinks, consoleSessions } from "./store.ts";
import { assertFreshSession, assertPasswordUnchanged, refuseForeignPage, verifiedUser } from "./verify.ts";

export function consoleSession(
  deps: Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  const open = openSession(deps);
  return {
    async create({ body, address, browser, save, setSession }) {
      refuseForeignPage(deps, browser);
      const email = normaliseEmail(body.email);
      const known = knownBrowser.idFor(deps.sealer, browser.known, email);
      const counted = await beginAttempt(deps, { email, address, known });
      const user = await verifiedUser(deps, email, body.password);
      // The password was correct, so the attempt does not count as failed, even if the second factor is wrong.
      if (counted.length > 0) await deps.database.write((tx) => uncountAttempt(tx, counted));
      const { code } = body;
      const spend = await orStep(deps, user, () => proveSecondFactor(deps, { user, address, known, code }));
      return open({ user, spend, address, browser, save, setSession });
    },

    async finish({ body, address, browser, save, setSession }) {
      refuseForeignPage(deps, browser);
      const user = await userOfStep(deps, body.step);
      const { code, passkey } = body;
      const known = knownBrowser.idFor(deps.sealer, browser.known, user.email);
      const prove = () => proveSecondFactor(deps, { user, address, known, code, passkey });
      const spend = await orStep(deps, user, prove);
      return open({ user, spend, address, browser, save, setSession });
    },

    async askPasskey({ body }) {
      const user = await userOfStep(deps, body.step);
      const rows = await passkeys.list(deps.database, user.id);
      return { passkey: passkeyRequestFor(deps, user, rows) };
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

    firstPassword: firstPassword(deps),

    me: async ({ caller }) => ({
      user: {
        id: caller.userId,
        email: caller.email,
        name: (await users.find(deps.database, caller.userId))?.name ?? null,
      },
      scopes: [...caller.scopes],
      app: await appOf(deps, caller),
      tokenId: caller.kind === "maintainerToken" ? caller.id : null,
    }),
  };
}

/** Starts the session of a person who has proved all factors, and sets the cookie of the session. */
const openSession =
  (deps: Pick<Deps, "clock" | "newId" | "sealer" | "time">) =>
  async ({
    user,
    spend,
    address,
    browser,
    save,
    setSession,
  }: Pick<Request, "address" | "browser" | "setSession"> & {
    readonly user: UserRow;
    /** Marks the code or passkey of the second factor as used. */
    readonly spend: Spend;
    readonly save: Request<typeof contract.create>["save"];
  }) => {
    const opened = newConsoleSession(deps);
    const answer = await save(async (tx) => {
      await assertPasswordUnchanged(tx, user);
      await spend(tx);
      await startConsoleSession(deps, tx, { opened, user, browser, address });
      return { user: { id: user.id, email: user.email, name: user.name ?? null } };
    });
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, user.email) });
    return answer;
  };

/**
 * Adds the sealed first step to the error `second_factor_required`. With that step, the client need not send the
 * password again.
 */
const orStep = (
  deps: Pick<Deps, "clock" | "sealer">,
  user: UserRow,
  prove: () => Promise<Spend>,
): Promise<Spend> =>
  prove().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "second_factor_required") throw error;
    throw new ApiError("second_factor_required", { step: sealStep(deps, stepOf(user)) });
  });

/** Returns the account of a sealed first step. Throws `invalid_credentials` if the step has expired. */
async function userOfStep(
  deps: Pick<Deps, "clock" | "database" | "sealer">,
  sealed: string,
): Promise<UserRow> {
  const step = openStep(deps, sealed);
  const user = step && (await users.find(deps.database, step.userId));
  if (!step || !user || stepOf(user).password !== step.password) throw stepHasExpired();
  return user;
}

const stepHasExpired = () =>
  new ApiError("invalid_credentials", {
    message: "This sign-in has expired, or is already finished. Begin again.",
  });

/**
 * Changes the password, and ends all other sessions of the account. Tokens and devices are not affected. (rule S19)
 */
function changePassword(deps: NoticeDeps & Pick<Deps, "database">): Handler<typeof contract.changePassword> {
  const record = createAuditWriter(deps);
  return async ({ body, caller, address, save }) => {
    const known = `session:${caller.id}`;
    const counted = await beginAttempt(deps, { email: caller.email, address, known });
    const user = await verifiedUser(deps, caller.email, body.currentPassword);
    const change = { old: user.passwordHash, fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      if (!(await users.changePassword(tx, user.id, change))) throw new ApiError("invalid_credentials");
      await uncountAttempt(tx, counted);
      await consoleSessions.removeOthers(tx, user.id, caller.id);
      await accountLinks.removeAll(tx, user.id);
      await record(tx, { caller, address }, { action: "user.password", target: user.id });
      await notifyAccount(deps, tx, { what: "password", email: user.email, address });
      return undefined;
    });
  };
}

/** Returns the app to which the credential is limited; null if it is not limited to one app. */
async function appOf(
  { database }: Pick<Deps, "database">,
  caller: ConsoleCaller,
): Promise<{ id: string; name: string } | null> {
  const app =
    caller.appId === null
      ? undefined
      : await apps.find(database, caller.appId, { ...caller, needs: "viewer" });
  return app ? { id: app.id, name: app.name } : null;
}

/**
 * Sets the first password of an account that signs in with a provider. Such an account has no old password that the
 * server could require. So the sign-in must be recent, and the second factor is required again. Ends all other
 * sessions. (rule S31)
 */
function firstPassword(deps: ProvingDeps): Handler<typeof contract.firstPassword> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId, email } = caller;
    if ((await users.find(deps.database, userId))?.passwordHash) throw hasPassword();
    await assertFreshSession(deps, caller);
    const proving = { user: { id: userId, email }, address, known: `session:${caller.id}`, code: body.code };
    const spend = await proveSecondFactor(deps, proving);
    const change = { old: "", fresh: await hashPassword(body.newPassword) };
    return save(async (tx) => {
      await spend(tx);
      if (!(await users.changePassword(tx, userId, change))) throw hasPassword();
      await consoleSessions.removeOthers(tx, userId, caller.id);
      await accountLinks.removeAll(tx, userId);
      await record(tx, { caller, address }, { action: "user.password", target: userId });
      await notifyAccount(deps, tx, { what: "firstPassword", email, address });
      return undefined;
    });
  };
}

const hasPassword = () =>
  new ApiError("wrong_state", { message: "This account already has a password. Change it instead." });
