import { session } from "../../../../src/contract/console-session.ts";
import {
  type Definitions,
  defineForm,
  defineOpenForm,
  defineOpenPage,
} from "../../../console/definitions.ts";
import { type Filled, filledAgain, filledWith, HiddenFields, TextField } from "../../../console/forms.tsx";
import { InvitedTo, invitedTo } from "../../../console/invited.tsx";
import { BarePage } from "../../../console/layout.tsx";
import { type Links, returnPath } from "../../../console/links.ts";
import type { NotDone } from "../../../console/notices.ts";
import type { InvitedRow } from "../../../console/page-reads.ts";
import { DoneNotice, Notice, SignInRefused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.ts";
import type { SignedInVisit, Visit } from "../../../console/visit.ts";
import type { Settings } from "../../../settings/settings.ts";
import { ProviderLinks } from "../../identity-providers/flow.tsx";
import { deviceSignInLinks, onTo } from "../device-visit.tsx";
import { showSecondFactor, signInWith } from "../finish.tsx";
import { fieldsToShowAgain, type PendingForm, pendingFormFields, pendingFormIn } from "../pending-form.ts";

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
  /**
   * A form that was sent after the console session had ended. The form cannot be kept, because it contains a file.
   */
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
}: SignInProps & { readonly visit: Visit; readonly invited: InvitedRow | undefined }) => (
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
      {invited && <InvitedTo invited={invited} action="Sign in" />}
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
        recover={links.recover}
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

/**
 * A button for a person who has signed in in another tab. It shows the form again with the text that was typed here.
 */
const SignedInElsewhere = ({ kept }: { readonly kept: PendingForm }) => (
  <form method="post" action={kept.action}>
    <HiddenFields values={fieldsToShowAgain(kept)} />
    <button class="quiet small" type="submit">
      I have signed in in another tab
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
];
