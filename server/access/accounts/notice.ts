import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { queueMail } from "../../mail/outgoing/queue.ts";
import { users } from "./store.ts";

export type NoticeDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/** What is mailed to a person, because somebody else may have done it. */
const happened = {
  password: "The password of your account was changed.",
  firstPassword: "Your account got a password.",
  factorOn: "The second factor of your account was turned on.",
  factorOff: "The second factor of your account was turned off.",
  newCodes: "The recovery codes of your account were replaced.",
  passkey: "A passkey was added to your account.",
  recoveryCode: "A recovery code of your account was used.",
} as const;

export interface AccountNotice {
  readonly what: keyof typeof happened;
  readonly email: string;
  /** The network address of the person who did it. */
  readonly address: string;
}

/**
 * Informs a person of what has happened to their account, in the transaction in which it happens. An address that nobody has
 * verified gets no such mail: it may be a stranger's. (rule S28)
 */
export async function noticeAccount(
  deps: NoticeDeps,
  tx: Transaction,
  { what, email, address }: AccountNotice,
): Promise<void> {
  const user = await users.findByEmail(tx, email);
  if (!user || !(await users.isVerified(tx, user.id))) return;
  const { consoleUrl } = deps.settings;
  const at = deps.clock.now().toISOString().slice(0, 16).replace("T", " ");
  await queueMail(deps, tx, {
    kind: "notice",
    to: email,
    subject: happened[what],
    text: [
      `${happened[what]} (${at} UTC, from ${address})`,
      "If it was you, you need not do anything.",
      `If it was not you, set a new password now:\n${consoleUrl}/recover`,
      `Then look at where you are signed in:\n${consoleUrl}/account`,
    ].join("\n\n"),
  });
}
