import { accountLinks, session } from "../../../../src/contract/console-session.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import {
  type Definitions,
  defineForm,
  defineOpenForm,
  defineOpenPage,
  type SignedInVisit,
  type Visit,
} from "../../../console/definitions.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  HiddenFields,
  NameField,
  TextField,
} from "../../../console/forms.tsx";
import { type Invited, InvitedTo, invitedTo } from "../../../console/invited.tsx";
import { BarePage } from "../../../console/layout.tsx";
import { type Links, returnPath } from "../../../console/links.ts";
import type { NotDone } from "../../../console/notices.ts";
import type { MailedInvitation } from "../../../console/page-reads.ts";
import { DoneNotice, Notice, Refused, SignInRefused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import { sendsMail } from "../../../mail/outgoing/queue.ts";
import type { Settings } from "../../../settings/settings.ts";
import { ProviderLinks } from "../../identity-providers/flow.tsx";
import { deviceSignInLinks, onTo } from "../device-visit.tsx";
import {
  fieldsToShowAgain,
  type PendingForm,
  pendingFormFields,
  pendingFormIn,
  showSecondFactor,
  signInWith,
} from "../finish.tsx";

const signIn = ({ fields, ...visit }: Visit): Promise<Reply> =>
  reshowForm<never>(
    async () => {
      const { links, settings } = visit;
      const kept = pendingFormIn(fields, visit.notices);
      const done = await signInWith(visit.ask, fields);
      if (done.outcome === "second_factor")
        return showSecondFactor({ ...done, links, action: links.signIn, to: fields.text("to"), kept });
      const { consoleUrl } = settings;
      if (kept && returnPath(kept.action, consoleUrl, "") !== "") return showPendingForm(links, kept);
      return goTo(returnPath(fields.text("to"), consoleUrl, links.home));
    },
    async (refusal) =>
      showSignIn(
        { fields, ...visit },
        {
          to: fields.text("to"),
          form: filledAgain(fields, refusal),
          kept: pendingFormIn(fields, visit.notices),
        },
      ),
  );

async function signOut({ ask, fields, links }: SignedInVisit): Promise<Reply<"signed-out">> {
  await ask(session.remove, { idempotencyKey: fields.idempotencyKey });
  return goTo(links.signIn, "signed-out");
}

const signInPage = async (visit: Visit): Promise<Reply> => showSignIn(visit, { to: visit.query("to") });

interface SignInProps {
  /** The address that the browser opens after the sign-in. */
  readonly to: string;
  readonly form?: Filled;
  /** A form that was sent after the console session had ended. The sign-in page contains the values of the form. */
  readonly kept?: PendingForm | undefined;
  /** A form that was sent after the session had ended. The form is lost, because it contains a file. */
  readonly lost?: NotDone;
}

export async function showSignIn(visit: Visit, props: SignInProps): Promise<Reply> {
  const invited = await invitedTo(visit, returnPath(props.to, visit.settings.consoleUrl, ""));
  return show(
    <SignIn {...props} visit={visit} invited={invited} />,
    props.form?.refusal?.status ?? (props.kept || props.lost ? 401 : 200),
  );
}

const SignIn = ({
  visit: { settings, links, notices, query },
  to,
  invited,
  form = filledWith(invited ? { email: invited.email } : {}),
  kept,
  lost,
}: SignInProps & { readonly visit: Visit; readonly invited: Invited | undefined }) => (
  <BarePage links={links} title="Sign in">
    <div class="card stack">
      <h1>Sign in</h1>
      <DoneNotice done={query("done")} notices={notices} />
      {kept && !form.refusal && (
        <Notice kind="alert">
          <b>Your session has ended. {kept.form.notDone}</b> Your text is not lost. Sign in to see it in the
          form again.
        </Notice>
      )}
      {lost && (
        <Notice kind="alert">
          <b>Your session has ended. {lost.notDone}</b> Sign in, choose the file again, and send the form
          again.
        </Notice>
      )}
      {invited && <InvitedTo invited={invited} next="Sign in with this address." />}
      <SignInRefused refusal={form.refusal} />
      <form class="stack" method="post" action={links.signIn}>
        <input type="hidden" name="to" value={to} />
        {kept && <HiddenFields values={pendingFormFields(kept)} />}
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <TextField
          form={{ ...form, value: () => "" }}
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button class="primary" type="submit">
          Sign in
        </button>
      </form>
      <ProviderLinks settings={settings} to={to} inNewTab={kept !== undefined} />
      {kept && <SignedInElsewhere kept={kept} />}
      <SignInHelp
        settings={settings}
        recover={invited ? onTo(links.recover, to) : links.recover}
        to={returnPath(to, settings.consoleUrl, links.home)}
      />
    </div>
  </BarePage>
);

/** Explains how to get an account and a new password. */
const SignInHelp = ({
  settings,
  recover,
  to,
}: {
  /** The page for a forgotten password. */
  readonly recover: string;
  readonly settings: Settings;
  readonly to: string;
}) => (
  <div class="small muted stack tight">
    {settings.registration ? (
      <p>
        New here? <a href={onTo(deviceSignInLinks(settings).signUp, to)}>Create an account</a>
      </p>
    ) : (
      <p>
        If you have no account, ask the operator of this server. The operator creates accounts with{" "}
        <code>innkeep admin user create</code>.
      </p>
    )}
    <p>
      <a href={recover}>Forgot password?</a>
    </p>
  </div>
);

/** Opens the pending form again, with the typed text, after a sign-in in another tab. */
const SignedInElsewhere = ({ kept }: { readonly kept: PendingForm }) => (
  <form method="post" action={kept.action}>
    <HiddenFields values={fieldsToShowAgain(kept)} />
    <button class="quiet small" type="submit">
      I have used another tab to sign in
    </button>
  </form>
);

/** Shows a button that opens the pending form again. If scripts run, the form opens without a click. */
const showPendingForm = (links: Links, kept: PendingForm): Reply =>
  show(
    <BarePage links={links} title="Signed in again">
      <div class="card stack">
        <h1>You are signed in again</h1>
        <p>
          Your session had ended. <b>{kept.form.notDone}</b> Your text is not lost.
        </p>
        <form method="post" action={kept.action} data-continues>
          <HiddenFields values={fieldsToShowAgain(kept)} />
          <button class="primary" type="submit">
            Go back to your text
          </button>
        </form>
      </div>
    </BarePage>,
  );

async function recoverPage(visit: Visit): Promise<Reply> {
  const { links, settings } = visit;
  if (!sendsMail(settings)) return show(RecoverByOperator({ links }));
  return show(Recover(await recoverProps(visit, visit.query("to"))));
}

async function recover(visit: Visit): Promise<Reply> {
  const { ask, fields, links } = visit;
  const props = await recoverProps(visit, fields.text("to"));
  return reshowForm(
    async () => {
      const body = { email: fields.text("email"), invitation: props.invited?.secret };
      await ask(accountLinks.recover, { body });
      const { to } = props;
      return show(RecoverySent({ links, signIn: to === "" ? links.signIn : onTo(links.signIn, to) }));
    },
    async (refusal) => show(Recover({ ...props, form: filledAgain(fields, refusal) }), refusal.status),
  );
}

async function recoverProps(visit: Visit, given: string): Promise<RecoverProps> {
  const to = returnPath(given, visit.settings.consoleUrl, "");
  const invited = await invitedTo(visit, to);
  return { links: visit.links, to, invited, form: filledWith(invited ? { email: invited.email } : {}) };
}

/** Showing this page does not use up the mailed link, because mail scanners open the link. */
const newPasswordPage = async (visit: Visit): Promise<Reply> => show(NewPassword(await passwordProps(visit)));

const newAccountPage = async (visit: Visit): Promise<Reply> => show(NewPassword(await accountProps(visit)));

async function passwordProps({ links, param, mailedInvitation }: Visit): Promise<NewPasswordProps> {
  const token = param("token");
  const invitation = await mailedInvitation(token);
  return { links, action: links.newPassword(token), newAccount: false, invitation };
}

async function accountProps({ links, param, settings, mailedInvitation }: Visit): Promise<NewPasswordProps> {
  if (!settings.registration) throw new ApiError("not_found");
  const token = param("token");
  const invitation = await mailedInvitation(token);
  return { links, action: links.newAccount(token), newAccount: true, invitation };
}

async function setPassword(visit: Visit): Promise<Reply<"password-set">> {
  const { links, param, ask } = visit;
  const props = await passwordProps(visit);
  return withPassword(visit, props, async (newPassword) => {
    await ask(accountLinks.finishRecovery, { body: { token: param("token"), newPassword } });
    const { invitation } = props;
    const signIn = invitation ? onTo(links.signIn, links.invitation(invitation.secret)) : links.signIn;
    return goTo(signIn, "password-set");
  });
}

/** Creates the account. Opens the page of the invitation, even if the invitation cannot be accepted. */
async function createAccount(visit: Visit): Promise<Reply<"account-created">> {
  const { links, param, ask, fields } = visit;
  const props = await accountProps(visit);
  return withPassword(visit, props, async (password) => {
    const body = { token: param("token"), password, name: fields.text("name") };
    await ask(accountLinks.finishSignUp, { body });
    const { invitation } = props;
    return goTo(invitation ? links.invitation(invitation.secret) : links.home, "account-created");
  });
}

const withPassword = <Done extends string>(
  { fields }: Visit,
  props: NewPasswordProps,
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

/** Moves errors of the API field `newPassword` to the form field `password`. */
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

interface RecoverProps extends LinkPageProps {
  /** The address that the browser opens after the sign-in; empty for the start page. */
  readonly to: string;
  readonly invited: Invited | undefined;
}

const Recover = ({ links, to, invited, form = filledWith() }: RecoverProps) => (
  <BarePage links={links} title="Password forgotten">
    <div class="card stack">
      <h1>Password forgotten</h1>
      <p class="muted">You get a mail with a link. With the link, you can set a new password.</p>
      {invited && <InvitedTo invited={invited} next="After the sign-in, you see the invitation again." />}
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={links.recover}>
        <input type="hidden" name="to" value={to} />
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
const RecoverySent = ({
  links,
  signIn,
}: LinkPageProps & {
  /** The address of the sign-in page. */
  readonly signIn: string;
}) => (
  <BarePage links={links} title="Check your mail">
    <div class="card stack">
      <h1>Check your mail</h1>
      <p>
        If this address has an account with a password, we have sent a link to that address. You can use the
        link once, within 30 minutes. If no mail arrives, look in your spam folder. It is also possible that
        your account has no password, because you sign in with a provider.
      </p>
      <a class="button" href={signIn}>
        Go to the sign-in page
      </a>
    </div>
  </BarePage>
);

interface NewPasswordProps extends LinkPageProps {
  /** The address to which the form is sent. It contains the token of the mailed link. */
  readonly action: string;
  readonly newAccount: boolean;
  /** The invitation whose page opens after the person has used the link. */
  readonly invitation: MailedInvitation | undefined;
}

/** Asks for the password of a new account, or for a new password. The page never contains a typed password. */
const NewPassword = ({ links, action, newAccount, invitation, form = filledWith() }: NewPasswordProps) => {
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
        {invitation?.invited && (
          <InvitedTo
            invited={invitation.invited}
            next={newAccount ? "Next, you see the invitation." : "After the sign-in, you see the invitation."}
          />
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

export const definitions: Definitions = [
  defineOpenPage({ at: (links) => links.signIn, show: signInPage }),
  defineOpenForm({ at: (links) => links.signIn, act: signIn, done: {} }),
  defineForm({
    at: (links) => links.signOut,
    page: "any",
    act: signOut,
    done: { "signed-out": "You are signed out." },
    word: "signOut",
    notDone: "You were already signed out.",
  }),
  // The following pages need no sign-in: the page for a forgotten password, and the pages that mailed links
  // open.
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
