import { ApiError } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import { codeLifetimeMilliseconds } from "../../../domain/access/sign-in-code.ts";
import type { Handler, Handlers } from "../../../http/handler.ts";
import { knownBrowser } from "../../../http/known-browser.ts";
import { newConsoleSession, startConsoleSession } from "../../../routes/access/new-console-session.ts";
import { hashPassword, normaliseEmail } from "../../../secrets/passwords.ts";
import { hashOf, randomName } from "../../../secrets/secrets.ts";
import { devices } from "../../../store/access/devices.ts";
import { signInCodes } from "../../../store/access/sign-in-codes.ts";
import { users } from "../../../store/access/users.ts";
import { deviceTopic } from "../../../store/engine/topics.ts";
import type { tavern as contract } from "./endpoints.ts";

export const deviceSignIn = (deps: Deps): Handlers<typeof contract> => ({
  approve: approve(deps),
  refuse: refuse(deps),
  register: register(deps),
});

/** Mints the one live code of a device: an earlier one stops. (rule S6) */
function approve({ clock, sealer }: Deps): Handler<typeof contract.approve> {
  return ({ caller, body, save }) => {
    const code = randomName();
    const sealed = { codeHash: hashOf(code), codeSealed: sealer.seal(code) };
    return save(async (tx) => {
      await devices.lock(tx, body.device);
      await signInCodes.mint(tx, { ...sealed, ...decidedBy(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return { code };
    });
  };
}

function refuse({ clock }: Deps): Handler<typeof contract.refuse> {
  return ({ caller, body, save }) =>
    save(async (tx) => {
      await devices.lock(tx, body.device);
      const refusal = { codeHash: hashOf(randomName()), codeSealed: null };
      await signInCodes.refuse(tx, { ...refusal, ...decidedBy(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return undefined;
    });
}

interface Device {
  readonly device: string;
  readonly name: string;
  readonly challenge: string;
}

const decidedBy = (userId: string, { device, name, challenge }: Device, now: Date) => ({
  userId,
  deviceId: device,
  deviceName: name,
  challenge,
  createdAt: now.toISOString(),
  expiresAt: new Date(now.getTime() + codeLifetimeMilliseconds).toISOString(),
});

function register(deps: Deps): Handler<typeof contract.register> {
  return async ({ body, address, browser, save, setSession }) => {
    if (!deps.settings.registration) {
      throw new ApiError("forbidden", { message: "New accounts are turned off here." });
    }
    const user = {
      id: deps.newId(),
      email: normaliseEmail(body.email),
      passwordHash: await hashPassword(body.password),
      createdAt: deps.clock.now().toISOString(),
    };
    const opened = newConsoleSession(deps);
    const answer = await save(async (tx) => {
      if (!(await users.insertUnlessTaken(tx, user))) throw new ApiError("email_taken");
      await startConsoleSession(deps, tx, opened, { user, old: browser.sessionId, address });
      return { user: { id: user.id, email: user.email } };
    });
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, user.email) });
    return answer;
  };
}
