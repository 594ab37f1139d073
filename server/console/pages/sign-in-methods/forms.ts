import { session } from "../../../../src/contract/console/console-session.ts";
import { type ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { goTo, type Reply, reshowForm } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
import { showSignInMethods } from "./page.tsx";

/** Changes the password. The page never contains what was typed. */
export function changePassword(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  const given = (name: string) => fields.text(name);
  return reshowForm(
    async () => {
      if (given("newPassword") !== given("repeatedPassword"))
        throw badRequest("repeatedPassword", "does not match the new password");
      const body = { currentPassword: given("currentPassword"), newPassword: given("newPassword") };
      await ask(session.changePassword, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "password-changed");
    },
    (refusal) =>
      showSignInMethods(visit, { password: { value: () => "", refusal: atCurrentPassword(refusal) } }),
  );
}

/** The account is known here, so wrong credentials can only mean a wrong password. */
const atCurrentPassword = (refusal: ApiError): ApiError =>
  refusal.code === "invalid_credentials" ? badRequest("currentPassword", "is wrong") : refusal;
