import type { deviceApproval as contract } from "../../../src/contract/console/device-approval.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { codeLifetimeMilliseconds } from "../../domain/access/sign-in-code.ts";
import type { Handler, Handlers } from "../../http/handler.ts";
import { knownBrowser } from "../../http/known-browser.ts";
import { hashPassword, normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, randomName } from "../../secrets/secrets.ts";
import { devices } from "../../store/access/devices.ts";
import { signInCodes } from "../../store/access/sign-in-codes.ts";
import { users } from "../../store/access/users.ts";
import { deviceTopic } from "../../store/engine/topics.ts";
import { newConsoleSession, startConsoleSession } from "./new-console-session.ts";

type Needed = Pick<Deps, "clock" | "newId" | "sealer" | "settings" | "time">;

/** What a person does on the device sign-in pages: approve or refuse a device, or make an account. */
export const deviceApprovalHandlers = (deps: Needed): Handlers<typeof contract> => ({
  approve: approve(deps),
  refuse: refuse(deps),
  register: register(deps),
});

/** Mints the only valid code of a device. An earlier code stops working. (rule S6) */
function approve({ clock, sealer }: Pick<Deps, "clock" | "sealer">): Handler<typeof contract.approve> {
  return ({ caller, body, save }) => {
    const code = randomName();
    const sealed = { codeHash: hashOf(code), codeSealed: sealer.seal(code) };
    return save(async (tx) => {
      await devices.lock(tx, body.device);
      await signInCodes.mint(tx, { ...sealed, ...decisionRow(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return { code };
    });
  };
}

/** Records the refusal, so that the waiting device learns of it. */
function refuse({ clock }: Pick<Deps, "clock">): Handler<typeof contract.refuse> {
  return ({ caller, body, save }) =>
    save(async (tx) => {
      await devices.lock(tx, body.device);
      const refusal = { codeHash: hashOf(randomName()), codeSealed: null };
      await signInCodes.refuse(tx, { ...refusal, ...decisionRow(caller.userId, body, clock.now()) });
      tx.signal(deviceTopic(body.device));
      return undefined;
    });
}

interface ApprovalRequest {
  readonly device: string;
  readonly name: string;
  readonly challenge: string;
}

const decisionRow = (userId: string, { device, name, challenge }: ApprovalRequest, now: Date) => ({
  userId,
  deviceId: device,
  deviceName: name,
  challenge,
  createdAt: now.toISOString(),
  expiresAt: new Date(now.getTime() + codeLifetimeMilliseconds).toISOString(),
});

/** Makes an account and signs its browser in. Throws `forbidden` when registration is off, and `email_taken`. */
function register(deps: Needed): Handler<typeof contract.register> {
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
      await startConsoleSession(deps, tx, { opened, user, old: browser.sessionId, address });
      return { user: { id: user.id, email: user.email } };
    });
    setSession({ ...opened, known: knownBrowser.withAccount(deps.sealer, browser.known, user.email) });
    return answer;
  };
}
