import { accountLinks } from "../../../../src/contract/console-session.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Definitions, defineOpenForm, defineOpenPage } from "../../../console/definitions.ts";
import { type Filled, filledAgain, filledWith, NameField, TextField } from "../../../console/forms.tsx";
import { BarePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { Refused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.ts";
import type { Visit } from "../../../console/visit.ts";
import { sendsMail } from "../../../mail/outgoing/queue.ts";

async function recoverPage({ links, settings }: Visit): Promise<Reply> {
  return show(sendsMail(settings) ? Recover({ links }) : RecoverByOperator({ links }));
}

const recover = ({ ask, fields, links }: Visit): Promise<Reply> =>
  reshowForm(
    async () => {
      await ask(accountLinks.recover, { body: { email: fields.text("email") } });
      return show(RecoverySent({ links }));
    },
    async (refusal) => show(Recover({ links, form: filledAgain(fields, refusal) }), refusal.status),
  );

/**
 * Shows the form for a password. A request for this page does not use up the link, because programs that check mails
 * open the link, too.
 */
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

const setPassword = (visit: Visit): Promise<Reply<"password-set">> =>
  withPassword(visit, passwordProps(visit), async (newPassword) => {
    const body = { token: visit.param("token"), newPassword };
    await visit.ask(accountLinks.finishRecovery, { body });
    return goTo(visit.links.signIn, "password-set");
  });

async function createAccount(visit: Visit): Promise<Reply<"account-created">> {
  return withPassword(visit, accountProps(visit), async (password) => {
    const body = { token: visit.param("token"), password, name: visit.fields.text("name") };
    await visit.ask(accountLinks.finishSignUp, { body });
    return goTo(visit.links.home, "account-created");
  });
}

const withPassword = <Done extends string>(
  { fields }: Visit,
  props: Parameters<typeof NewPassword>[0],
  act: (password: string) => Promise<Reply<Done>>,
): Promise<Reply<Done>> =>
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

/**
 * Changes the field of a refusal from `newPassword` to `password`. The API uses the first name, and the pages use the
 * second.
 */
function atPassword(refusal: ApiError): ApiError {
  const issues = refusal.details.issues?.map((issue) =>
    issue.path === "newPassword" ? { ...issue, path: "password" } : issue,
  );
  return issues ? new ApiError(refusal.code, { ...refusal.details, issues }) : refusal;
}

interface LinkPageProps {
  readonly links: Links;
  readonly form?: Filled;
}

/** Asks for the address of the account. */
const Recover = ({ links, form = filledWith() }: LinkPageProps) => (
  <BarePage links={links} title="Password forgotten">
    <div class="card stack">
      <h1>Password forgotten</h1>
      <p class="muted">You get a mail with a link. With the link, you can set a new password.</p>
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={links.recover}>
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <button class="primary" type="submit">
          Send the link
        </button>
      </form>
    </div>
  </BarePage>
);

/** The page for a forgotten password on a server that sends no mail. */
const RecoverByOperator = ({ links }: LinkPageProps) => (
  <BarePage links={links} title="Password forgotten">
    <div class="card stack">
      <h1>Password forgotten</h1>
      <p>
        This server sends no mail. Its operator can set a new password, with{" "}
        <code>innkeep admin user password</code>.
      </p>
      <a class="button" href={links.signIn}>
        Go to the sign-in page
      </a>
    </div>
  </BarePage>
);

/** The page is the same for each address, so that it does not reveal whether the address has an account. */
const RecoverySent = ({ links }: LinkPageProps) => (
  <BarePage links={links} title="Check your mail">
    <div class="card stack">
      <h1>Check your mail</h1>
      <p>
        If this address has an account with a password, we have sent a link to that address. The link works
        once, for 30 minutes. If no mail arrives, look in your spam folder. It is also possible that your
        account has no password, because you sign in with a provider.
      </p>
      <a class="button" href={links.signIn}>
        Go to the sign-in page
      </a>
    </div>
  </BarePage>
);

/** Asks for the password of a new account, or for a new password. The page never contains a typed password. */
const NewPassword = ({
  links,
  action,
  newAccount,
  form = filledWith(),
}: LinkPageProps & {
  /** The address of the form. It ends in the token of the link. */
  readonly action: string;
  /** Whether the password is for a new account. */
  readonly newAccount: boolean;
}) => {
  const title = newAccount ? "Create your account" : "Set a new password";
  return (
    <BarePage links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        {!newAccount && (
          <p class="muted">
            You will be signed out in all browsers. If you have a second factor, you still need it.
          </p>
        )}
        <Refused refusal={form.refusal} />
        <form class="stack" method="post" action={action}>
          {newAccount && <NameField form={form} unkept />}
          {passwordFields.map((field) => (
            <TextField
              key={field.name}
              form={{ value: () => "", refusal: form.refusal }}
              type="password"
              autocomplete="new-password"
              {...field}
              required
            />
          ))}
          <button class="primary" type="submit">
            {newAccount ? "Create account" : "Set password"}
          </button>
        </form>
      </div>
    </BarePage>
  );
};

const passwordFields = [
  { name: "password", label: "New password", hint: `At least ${limits.password.min} characters.` },
  { name: "repeatedPassword", label: "New password again" },
] as const;

/** The pages that mailed links open, and the page for a forgotten password. They need no sign-in. */
export const definitions: Definitions = [
  defineOpenPage({ at: (links) => links.recover, show: recoverPage }),
  defineOpenForm({ at: (links) => links.recover, act: recover, done: {} }),
  defineOpenPage({ at: (links) => links.newPassword(":token"), show: newPasswordPage }),
  defineOpenForm({
    at: (links) => links.newPassword(":token"),
    act: setPassword,
    done: { "password-set": "Your new password is set. Sign in with it." },
  }),
  defineOpenPage({ at: (links) => links.newAccount(":token"), show: newAccountPage }),
  defineOpenForm({
    at: (links) => links.newAccount(":token"),
    act: createAccount,
    done: { "account-created": "Your account is ready." },
  }),
];
