import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { queueMail } from "../../mail/outgoing/queue.ts";
import type { Settings } from "../../settings/settings.ts";
import { createAuditWriter } from "../audit/record.ts";
import { users } from "./store.ts";

/**
 * Returns the name of this server for a mail about an account. A person can have accounts on several servers.
 */
export const serverName = (settings: ServerAddress): string => `Innkeep on ${serverHost(settings)}`;

export const serverHost = ({ consoleUrl }: ServerAddress): string => new URL(consoleUrl).host;

type ServerAddress = Pick<Settings, "consoleUrl">;

/** Creates a function that changes the name of an account. The audit entry does not contain the name. (rule K33) */
export function createNameChange(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return async (
    tx: Transaction,
    {
      caller,
      address,
    }: {
      readonly caller: Pick<ConsoleCaller, "kind" | "id" | "userId" | "email">;
      readonly address: string;
    },
    name: string | null,
  ): Promise<void> => {
    const { userId: target } = caller;
    if (!(await users.changeName(tx, target, name))) return;
    const changes = [{ field: "name" }];
    await record(tx, { caller, address }, { action: "user.name", target, changes });
  };
}

export type NoticeDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/** The subjects and first sentences of the mails that warn about account changes. */
const changes = {
  password: "The password of your account was changed.",
  firstPassword: "A password was set for your account.",
  factorOn: "The second factor of your account was turned on.",
  factorOff: "The second factor of your account was turned off.",
  newCodes: "The recovery codes of your account were replaced.",
  passkey: "A passkey was added to your account.",
  recoveryCode: "A recovery code of your account was used.",
} as const;

/**
 * Queues a mail about an account change. An unverified address gets no mail: it may belong to a stranger.
 * (rule S28)
 */
export async function notifyAccount(
  deps: NoticeDeps,
  tx: Transaction,
  {
    what,
    email,
    address,
  }: {
    readonly what: keyof typeof changes;
    readonly email: string;
    /** The network address from which the change was made. */
    readonly address: string;
  },
): Promise<void> {
  const user = await users.findByEmail(tx, email);
  if (!user || !(await users.isVerified(tx, user.id))) return;
  const { consoleUrl } = deps.settings;
  const at = deps.clock.now().toISOString().slice(0, 16).replace("T", " ");
  await queueMail(deps, tx, {
    kind: "notice",
    to: email,
    subject: changes[what],
    text: [
      `${changes[what]} (${at} UTC, from ${address})`,
      `This is about your account for ${serverName(deps.settings)}.`,
      "If you did this, you do not have to do anything.",
      `If you did not do this, set a new password now:\n${consoleUrl}/recover`,
      `Then check where you are signed in:\n${consoleUrl}/account`,
    ].join("\n\n"),
  });
}
