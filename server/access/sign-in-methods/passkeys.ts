import { ApiError } from "../../../src/contract/errors.ts";
import type { passkeys as contract, Passkey } from "../../../src/contract/passkeys.ts";
import type { Handler, Handlers } from "../../http/handler.ts";
import { newPasskeyKey } from "../../secrets/passkey-checks.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { noticeAccount } from "../accounts/notice.ts";
import { createAuditWriter } from "../audit/record.ts";
import { openCeremony, passkeyCreation, passkeyHost, passkeyOrigins } from "./passkey-questions.ts";
import { assertFirstUse, hasSecondFactor, type ProvingDeps, proveAgain } from "./prove.ts";
import { passkeys as rows } from "./sign-in-passkeys.ts";
import { secondFactors } from "./store.ts";

const mostPasskeys = 20;

/** The passkeys that a person may use in place of the authenticator app. (rule S29) */
export const passkeyHandlers = (deps: ProvingDeps): Handlers<typeof contract> => ({
  async list({ caller }) {
    return { items: await rows.list(deps.database, caller.userId) };
  },
  begin: begin(deps),
  create: create(deps),
  remove: remove(deps),
});

function begin(deps: ProvingDeps): Handler<typeof contract.begin> {
  return async ({ caller, address, body, save }) => {
    const user = { id: caller.userId, email: caller.email };
    const host = hostOf(deps);
    const known = await rows.list(deps.database, user.id);
    if (known.length >= mostPasskeys)
      throw new ApiError("wrong_state", { message: `An account has at most ${mostPasskeys} passkeys.` });
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    return save(async (tx) => {
      await spend(tx);
      return passkeyCreation(deps, { user, host, rows: known });
    });
  };
}

function hostOf({ settings }: ProvingDeps): string {
  const host = passkeyHost(settings);
  if (host !== undefined) return host;
  throw new ApiError("wrong_state", {
    message: "Browsers make passkeys only for a host with a name, and this console's address has a number.",
  });
}

function create(deps: ProvingDeps): Handler<typeof contract.create> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, body, save }) => {
    const { userId, email } = caller;
    const ceremony = openCeremony(deps, body.ceremony, { kind: "new passkey", userId });
    if (!ceremony) throw new ApiError("wrong_state", { message: "This took too long. Begin again." });
    const { challenge } = ceremony;
    const asked = { challenge, rpId: hostOf(deps), origins: passkeyOrigins(deps.settings) };
    const key = await newPasskeyKey(body, asked);
    if (!key) throw new ApiError("invalid_second_factor");
    const createdAt = deps.clock.now().toISOString();
    const shown: Passkey = { id: deps.newId(), name: body.name, createdAt, lastUsedAt: null };
    return save(async (tx) => {
      await secondFactors.lock(tx, userId);
      if (!(await hasSecondFactor(tx, userId))) throw new ApiError("wrong_state");
      await assertFirstUse(deps, tx, hashOf(challenge));
      const transports = JSON.stringify(body.transports ?? []);
      if (!(await rows.insertUnlessTaken(tx, userId, { ...shown, ...key, transports })))
        throw new ApiError("wrong_state", { message: "This passkey is known already." });
      await record(tx, { caller, address }, { action: "passkey.create", target: shown.id, label: body.name });
      await noticeAccount(deps, tx, { what: "passkey", email, address });
      return shown;
    });
  };
}

function remove(deps: ProvingDeps): Handler<typeof contract.remove> {
  const record = createAuditWriter(deps);
  return async ({ caller, address, params: { passkeyId }, body, save }) => {
    const known = await rows.list(deps.database, caller.userId);
    if (!known.some(({ id }) => id === passkeyId)) throw new ApiError("not_found");
    const spend = await proveAgain(deps, { caller, address, code: body.code });
    return save(async (tx) => {
      await spend(tx);
      if (!(await rows.remove(tx, caller.userId, passkeyId))) throw new ApiError("not_found");
      await record(tx, { caller, address }, { action: "passkey.delete", target: passkeyId });
      return undefined;
    });
  };
}
