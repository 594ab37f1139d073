import type { deviceApproval as contract } from "../../../../src/contract/device-approval.ts";
import { deviceTopic } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import type { Handler, Handlers } from "../../../http/handler.ts";
import { hashOf, randomName } from "../../../secrets/secrets.ts";
import { devices } from "../../devices/store.ts";
import { codeLifetimeMilliseconds } from "../rules.ts";
import { signInCodes } from "../sign-in-codes.ts";

type Needed = Pick<Deps, "clock" | "sealer">;

/** What a person does on the device sign-in pages: approve or refuse a device. */
export const deviceApprovalHandlers = (deps: Needed): Handlers<typeof contract> => ({
  approve: approve(deps),
  refuse: refuse(deps),
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
