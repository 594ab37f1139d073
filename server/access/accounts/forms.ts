import { account } from "../../../src/contract/account.ts";
import { consoleSessions } from "../../../src/contract/console-sessions.ts";
import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { filledAgain } from "../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showAccount } from "./page.tsx";

export async function endSession({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const params = { sessionId: param("sessionId") };
  await ask(consoleSessions.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "session-ended");
}

export async function endOtherSessions({ ask, fields, links }: SignedInVisit): Promise<Reply> {
  await ask(consoleSessions.removeOthers, { idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "sessions-ended");
}

/** Deletes the account after its address was typed. The page never contains a password or a code that was typed. */
export function deleteAccount(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  const given = (name: string) => (fields.has(name) ? { [name]: fields.text(name) } : {});
  return reshowForm(
    async () => {
      const body = { email: fields.text("email"), ...given("currentPassword"), ...given("code") };
      await ask(account.remove, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signIn, "account-deleted");
    },
    (refusal) => showAccount(visit, filledAgain(fields, atField(refusal))),
  );
}

/** The account is known here, so wrong credentials can only mean a wrong password. */
function atField(refusal: ApiError): ApiError {
  if (refusal.code === "invalid_credentials") return badRequest("currentPassword", "is wrong");
  if (refusal.code === "invalid_second_factor") return badRequest("code", "is wrong or was used before");
  return refusal;
}
