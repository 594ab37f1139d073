import { accountLinks } from "../../../../src/contract/account-links.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { filledAgain } from "../../../console/filled-form.ts";
import type { Links } from "../../../console/links.ts";
import { goTo, type Reply, reshowForm, show } from "../../../console/reply.ts";
import type { PageHandler, Visit } from "../../../console/visit.ts";
import { NewPassword, Recover, RecoverByOperator, RecoveryAsked } from "./pages.tsx";
import { isByMail } from "./sign-in-page.tsx";

/** The pages to which links in mails lead, and that for a forgotten password. Nobody need be signed in. */
export const accountLinkRoutes = (
  at: Links,
): readonly (readonly ["GET" | "POST", string, PageHandler<Visit>])[] => [
  ["GET", at.recover, recoverPage],
  ["POST", at.recover, recover],
  ["GET", at.newPassword(":token"), newPasswordPage],
  ["POST", at.newPassword(":token"), setPassword],
  ["GET", at.newAccount(":token"), newAccountPage],
  ["POST", at.newAccount(":token"), createAccount],
];

async function recoverPage({ links, settings }: Visit): Promise<Reply> {
  return show(isByMail(settings) ? Recover({ links }) : RecoverByOperator({ links }));
}

const recover = ({ ask, fields, links }: Visit): Promise<Reply> =>
  reshowForm(
    async () => {
      await ask(accountLinks.recover, { body: { email: fields.text("email") } });
      return show(RecoveryAsked({ links }));
    },
    async (refusal) => show(Recover({ links, form: filledAgain(fields, refusal) }), refusal.status),
  );

/** A link is not used up by looking at its page, because programs that check mails open it, too. */
const newPasswordPage = async (visit: Visit): Promise<Reply> => show(NewPassword(passwordProps(visit)));
const newAccountPage = async (visit: Visit): Promise<Reply> => show(NewPassword(accountProps(visit)));

const passwordProps = ({ links, param }: Visit) => ({
  links,
  action: links.newPassword(param("token")),
  newAccount: false,
});
const accountProps = ({ links, param, settings }: Visit) => {
  if (!settings.registration) throw new ApiError("not_found");
  return { links, action: links.newAccount(param("token")), newAccount: true };
};

const setPassword = (visit: Visit): Promise<Reply> =>
  withPassword(visit, passwordProps(visit), async (newPassword) => {
    const body = { token: visit.param("token"), newPassword };
    await visit.ask(accountLinks.finishRecovery, { body });
    return goTo(visit.links.signIn, "password-set");
  });

async function createAccount(visit: Visit): Promise<Reply> {
  return withPassword(visit, accountProps(visit), async (password) => {
    const body = { token: visit.param("token"), password };
    await visit.ask(accountLinks.finishSignUp, { body });
    return goTo(visit.links.home, "account-created");
  });
}

const withPassword = (
  { fields }: Visit,
  props: Parameters<typeof NewPassword>[0],
  act: (password: string) => Promise<Reply>,
): Promise<Reply> =>
  reshowForm(
    async () => {
      const password = fields.text("password");
      if (password !== fields.text("repeatedPassword"))
        throw badRequest("repeatedPassword", "does not match the new password");
      return act(password);
    },
    async (refusal) =>
      show(NewPassword({ ...props, form: filledAgain(fields, atPassword(refusal)) }), refusal.status),
  );

/** The field has one name on both pages. */
function atPassword(refusal: ApiError): ApiError {
  const issues = refusal.details.issues?.map((issue) =>
    issue.path === "newPassword" ? { ...issue, path: "password" } : issue,
  );
  return issues ? new ApiError(refusal.code, { ...refusal.details, issues }) : refusal;
}
