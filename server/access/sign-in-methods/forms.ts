import { session } from "../../../src/contract/console-session.ts";
import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { goTo, type Reply, reshowForm } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { showSignInMethods } from "./page.tsx";

/** Changes the password, or sets the first one. The page never contains what was typed. */
export function changePassword(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, reads } = visit;
  const given = (name: string) => fields.text(name);
  return reshowForm(
    async () => {
      if (given("newPassword") !== given("repeatedPassword"))
        throw badRequest("repeatedPassword", "does not match the new password");
      const { idempotencyKey } = fields;
      const newPassword = given("newPassword");
      if (await reads.hasPassword()) {
        const body = { currentPassword: given("currentPassword"), newPassword };
        await ask(session.changePassword, { body, idempotencyKey });
        return goTo(links.signInMethods, "password-changed");
      }
      const code = given("code");
      const body = code === "" ? { newPassword } : { newPassword, code };
      await ask(session.firstPassword, { body, idempotencyKey });
      return goTo(links.signInMethods, "first-password");
    },
    (refusal) => showSignInMethods(visit, { password: { value: () => "", refusal: atField(refusal) } }),
  );
}

/** The account is known here, so wrong credentials can only mean a wrong password. */
function atField(refusal: ApiError): ApiError {
  if (refusal.code === "invalid_second_factor") return badRequest("code", "is wrong or was used before");
  return refusal.code === "invalid_credentials" ? badRequest("currentPassword", "is wrong") : refusal;
}
