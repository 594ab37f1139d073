import { session } from "../../../src/contract/console/console-session.ts";
import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { returnPath } from "../console-path.ts";
import { filledAgain } from "../kit/form/filled-form.ts";
import { showSignInMethods } from "../pages/sign-in-methods/page.tsx";
import { goTo, type Reply, reshowForm } from "../reply.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { showSignIn } from "./page.tsx";
import { carriedForm } from "./pending-form.ts";
import { showPendingForm } from "./pending-form-page.tsx";

export const signIn = ({ fields, ...visit }: Visit): Promise<Reply> =>
  reshowForm(
    async () => {
      const body = { email: fields.text("email"), password: fields.text("password") };
      await visit.ask(session.create, { body });
      const { consoleUrl } = visit.deps.settings;
      const kept = carriedForm(fields);
      if (kept && returnPath(kept.action, consoleUrl, "") !== "") return showPendingForm(visit.links, kept);
      return goTo(returnPath(fields.text("to"), consoleUrl, visit.links.home));
    },
    async (refusal) =>
      showSignIn(
        { fields, ...visit },
        { to: fields.text("to"), form: filledAgain(fields, refusal), kept: carriedForm(fields) },
      ),
  );

/** Changes the password. What was typed is not sent back, whatever comes of it. */
export function changePassword(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  const given = (name: string) => fields.text(name);
  return reshowForm(
    async () => {
      if (given("newPassword") !== given("repeatedPassword"))
        throw badRequest("repeatedPassword", "does not match the new password");
      const body = { currentPassword: given("currentPassword"), newPassword: given("newPassword") };
      await ask(session.changePassword, { body, once: fields.once });
      return goTo(links.signInMethods, "password-changed");
    },
    (refusal) => showSignInMethods(visit, { value: () => "", refusal: atCurrentPassword(refusal) }),
  );
}

/** The account is known: what was wrong is the password. */
const atCurrentPassword = (refusal: ApiError): ApiError =>
  refusal.code === "invalid_credentials" ? badRequest("currentPassword", "is wrong") : refusal;

export async function signOut({ ask, fields, links }: SignedInVisit): Promise<Reply> {
  await ask(session.remove, { once: fields.once });
  return goTo(links.signIn, "signed-out");
}
