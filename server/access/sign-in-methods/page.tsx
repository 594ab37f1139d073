import { type PasskeyCreation, passkeys, secondFactor } from "../../../src/contract/account.ts";
import { session } from "../../../src/contract/console-session.ts";
import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  IdempotencyField,
  PasskeyParts,
  passkeyAttribute,
  passkeyIn,
  TextField,
} from "../../console/forms.tsx";
import { ConsolePage, type Navigation, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { NotDone } from "../../console/notices.ts";
import type { ConnectedIdentity } from "../../console/page-reads.ts";
import { Line, QrCode, Refused } from "../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago } from "../../console/times.tsx";
import type { IdentityProvider } from "../../settings/settings.ts";
import { startAddress } from "../identity-providers/flow.tsx";
import {
  atFactorField,
  CodeField,
  FactorForm,
  type RefusedFactorForm,
  SecondFactorLine,
} from "./second-factor.tsx";

/** Changes the password, or sets the first one. The page in the answer never contains a typed password. */
function changePassword(visit: SignedInVisit): Promise<Reply<"first-password" | "password-changed">> {
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
    (refusal) => showSignInMethods(visit, { password: { value: () => "", refusal: atFactorField(refusal) } }),
  );
}

function beginPasskey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      const asked = await ask(passkeys.begin, { body, idempotencyKey: fields.idempotencyKey });
      return showNewPasskey(visit, { asked });
    },
    againWith(visit, "passkey"),
  );
}

function createPasskey(visit: SignedInVisit): Promise<Reply<"passkey-added">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { ...passkeyIn(fields.text("passkey")), name: fields.text("name") };
      await ask(passkeys.create, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "passkey-added");
    },
    (refusal) => showNewPasskey(visit, { form: filledAgain(fields, refusal) }),
  );
}

function removePasskey(visit: SignedInVisit): Promise<Reply<"passkey-removed">> {
  const { ask, fields, links, param } = visit;
  const passkeyId = param("passkeyId");
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      await ask(passkeys.remove, { params: { passkeyId }, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "passkey-removed");
    },
    againWith(visit, passkeyId),
  );
}

/** Answers with the page that shows the secret. A redirect would put the secret into an address or a cookie. */
function beginSecondFactor(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const body = { currentPassword: fields.text("currentPassword") };
      const made = await ask(secondFactor.begin, { body, idempotencyKey: fields.idempotencyKey });
      return showSetUp(visit, { made });
    },
    againWith(visit, "begin"),
  );
}

function confirmSecondFactor(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const made = await ask(secondFactor.confirm, {
        body: { code: fields.text("code") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showRecoveryCodes(visit, made.recoveryCodes);
    },
    (refusal) => showSetUp(visit, { form: { value: () => "", refusal: atFactorField(refusal) } }),
  );
}

function renewRecoveryCodes(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const made = await ask(secondFactor.renewRecoveryCodes, {
        body: { code: fields.text("code") },
        idempotencyKey: fields.idempotencyKey,
      });
      return showRecoveryCodes(visit, made.recoveryCodes);
    },
    againWith(visit, "renew"),
  );
}

function removeSecondFactor(visit: SignedInVisit): Promise<Reply<"second-factor-off">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { code: fields.text("code") };
      await ask(secondFactor.remove, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signInMethods, "second-factor-off");
    },
    againWith(visit, "remove"),
  );
}

/** Creates a function for a refused form. It shows the page again, with the form `name` open. */
const againWith =
  (visit: SignedInVisit, name: string) =>
  (refusal: ApiError): Promise<Reply> =>
    showSignInMethods(visit, {
      factor: { name, form: { value: () => "", refusal: atFactorField(refusal) } },
    });

async function showSignInMethods(
  visit: SignedInVisit,
  refused: { readonly password?: Filled; readonly factor?: RefusedFactorForm } = {},
): Promise<Reply> {
  const { reads, settings, links, now } = visit;
  const [navigation, state, { items }, hasPassword, connected] = await Promise.all([
    navigationOf(visit),
    visit.ask(secondFactor.find),
    visit.ask(passkeys.list),
    reads.hasPassword(),
    reads.connectedIdentities(),
  ]);
  return show(
    <ConsolePage navigation={navigation} title="Sign-in methods" narrow>
      <div class="head">
        <div>
          <h1>Sign-in methods</h1>
          <p>
            You can sign in to your account with any of these methods. If the second factor is on, you also
            need a code or a passkey. Connect only accounts that nobody else can use.
          </p>
        </div>
      </div>
      <ul class="list">
        <li>
          <div class="row spread">
            <b>Password</b>
            <span class="badge">{hasPassword ? "Set" : "None"}</span>
          </div>
          {hasPassword ? (
            <ChangePassword form={refused.password} links={links} />
          ) : (
            <FirstPassword form={refused.password} links={links} hasFactor={state.totp !== null} />
          )}
        </li>
        {settings.identityProviders.map((provider) => (
          <ProviderLine key={provider.id} provider={provider} connected={connected} visit={visit} />
        ))}
        <SecondFactorLine {...{ state, hasPassword, links, now }} passkeys={items} refused={refused.factor} />
      </ul>
    </ConsolePage>,
    (refused.password ?? refused.factor?.form)?.refusal?.status,
  );
}

const ProviderLine = ({
  provider,
  connected,
  visit,
}: {
  readonly provider: IdentityProvider;
  readonly connected: readonly ConnectedIdentity[];
  readonly visit: SignedInVisit;
}) => {
  const identity = connected.find(({ issuer }) => isSame(issuer, provider.issuer));
  return (
    <li>
      <div class="row spread">
        <b>
          <Line text={provider.name} />
        </b>
        {identity ? (
          <span class="badge">Connected</span>
        ) : (
          <a class="button" href={startAddress(visit.settings, provider.id, visit.links.signInMethods)}>
            Connect <span class="unseen">{provider.name}</span>
          </a>
        )}
      </div>
      {identity && (
        <p class="under">
          <span>
            connected <Ago at={identity.createdAt} now={visit.now} />
          </span>
        </p>
      )}
    </li>
  );
};

/**
 * Whether two addresses of issuers are the same. Ignores a slash after the host, such as in `https://id.example.org/`.
 */
const isSame = (one: string, other: string): boolean => new URL(one).href === new URL(other).href;

interface ChangePasswordProps {
  readonly form: Filled | undefined;
  readonly links: Links;
}

/** Asks for the current password, so that a stranger who finds a signed-in browser cannot change the password. */
const ChangePassword = ({ form, links }: ChangePasswordProps) => (
  <details class="reveal" open={form !== undefined}>
    <summary>Change password</summary>
    <form class="stack" method="post" action={links.password}>
      <Refused refusal={form?.refusal} />
      <p class="muted small">Every other browser is signed out. Tokens and devices stay as they are.</p>
      <IdempotencyField />
      {fields.map((field) => (
        <TextField key={field.name} form={form ?? filledWith()} type="password" {...field} required />
      ))}
      <div class="actions">
        <button class="primary" type="submit">
          Change password
        </button>
      </div>
    </form>
  </details>
);

/** The form for the first password of an account. Until now, the person has signed in only with a provider. */
const FirstPassword = ({ form, links, hasFactor }: ChangePasswordProps & { hasFactor: boolean }) => (
  <FactorForm offer="Set a password" action={links.password} form={form}>
    <p class="muted small">
      You can set a password only in the first ten minutes after you sign in. Every other browser is signed
      out. Tokens and devices stay as they are.
    </p>
    {newFields.map((field) => (
      <TextField key={field.name} form={form ?? filledWith()} type="password" {...field} required />
    ))}
    {hasFactor && <CodeField form={form} part="password" />}
  </FactorForm>
);

const newFields = [
  {
    name: "newPassword",
    label: "New password",
    autocomplete: "new-password",
    hint: `At least ${limits.password.min} characters.`,
  },
  { name: "repeatedPassword", label: "New password again", autocomplete: "new-password" },
] as const;

const fields = [
  { name: "currentPassword", label: "Current password", autocomplete: "current-password" },
  ...newFields,
] as const;

interface SetUpProps {
  /** The new secret; undefined after a refusal, because it is shown only once. */
  readonly made?: { readonly secret: string; readonly uri: string };
  readonly form?: Filled;
}

/** Shows the secret for the authenticator app, and asks for its first code. */
async function showSetUp(visit: SignedInVisit, { made, form }: SetUpProps): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Set up a second factor" narrow>
      <div class="head">
        <h1>Set up a second factor</h1>
      </div>
      <div class="card stack">
        {made ? <Secret {...made} /> : <Again navigation={navigation} />}
        <form class="stack" method="post" action={navigation.links.confirmSecondFactor}>
          <Refused refusal={form?.refusal} />
          <CodeField form={form} part="confirm" hint="The six digits that the app shows now." />
          <IdempotencyField />
          <div class="actions">
            <button class="primary" type="submit">
              Turn on
            </button>
            <a class="button" href={navigation.links.signInMethods}>
              Cancel
            </a>
          </div>
        </form>
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

const Secret = ({ secret, uri }: NonNullable<SetUpProps["made"]>) => (
  <>
    <p>
      Scan this QR code with an authenticator app, or type the key into the app. Then enter the code that the
      app shows.
    </p>
    <QrCode text={uri} label="QR code for the authenticator app" />
    <div class="field">
      <label for="secret">Key</label>
      <textarea class="code" id="secret" rows={2} readOnly autocomplete="off" spellcheck={false}>
        {`\n${(secret.match(/.{1,4}/g) ?? []).join(" ")}`}
      </textarea>
      <p class="hint">The key is not shown again. The second factor is off until you enter a correct code.</p>
    </div>
  </>
);

/** Offers a new secret. No page shows the first secret again. */
const Again = ({ navigation: { links } }: { readonly navigation: Navigation }) => (
  <p>
    If your app does not have the key, <a href={links.signInMethods}>begin again</a>.
  </p>
);

/** Shows the new recovery codes. No later page shows them again. */
async function showRecoveryCodes(visit: SignedInVisit, codes: readonly string[]): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Recovery codes" narrow>
      <div class="head">
        <div>
          <h1>Your recovery codes</h1>
          <p>
            You can use each code once to sign in without the app. Print the codes or store them in a password
            manager now, because you cannot see them again.
          </p>
        </div>
      </div>
      <div class="card fresh stack">
        <ol class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <div class="actions">
          <a class="button" href={navigation.links.signInMethods}>
            I have saved them
          </a>
        </div>
      </div>
    </ConsolePage>,
  );
}

/** Asks the authenticator for a new passkey. This works only if scripts run in the browser. */
async function showNewPasskey(
  visit: SignedInVisit,
  {
    asked,
    form = filledWith(),
  }: {
    /** The request to the authenticator; undefined after a refusal, because the person must then begin again. */
    readonly asked?: PasskeyCreation;
    readonly form?: Filled;
  },
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Add a passkey" narrow>
      <div class="head">
        <h1>Add a passkey</h1>
      </div>
      <div class="card stack">
        <Refused refusal={form.refusal} />
        {asked && (
          <form class="stack" method="post" action={links.passkeys} {...passkeyAttribute(asked)}>
            <noscript>
              <p>A browser creates passkeys only if scripts run.</p>
            </noscript>
            <TextField
              form={form}
              name="name"
              label="Name"
              hint="A name by which you recognise it later, such as Phone."
              required
            />
            <IdempotencyField />
            <PasskeyParts button="Create passkey" primary />
          </form>
        )}
        <a href={links.signInMethods}>{asked ? "Cancel" : "Begin again"}</a>
      </div>
    </ConsolePage>,
    form.refusal?.status,
  );
}

const signInMethodsPage = definePage({
  at: (links) => links.signInMethods,
  needs: "account",
  show: showSignInMethods,
});

const factorNotChanged: NotDone = {
  word: "changeSecondFactor",
  notDone: "Your second factor was not changed.",
};

export const definitions: Definitions = [
  signInMethodsPage,
  defineForm({
    at: (links) => links.password,
    page: signInMethodsPage,
    act: changePassword,
    done: {
      "first-password":
        "Your account has a password now. Other browsers are signed out; tokens and devices are not.",
      "password-changed":
        "Your password is changed. Other browsers are signed out; tokens and devices are not.",
    },
    word: "changePassword",
    notDone: "Your password was not changed.",
  }),
  defineForm({
    at: (links) => links.beginSecondFactor,
    page: signInMethodsPage,
    act: beginSecondFactor,
    done: {},
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.confirmSecondFactor,
    page: signInMethodsPage,
    act: confirmSecondFactor,
    done: {},
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.renewRecoveryCodes,
    page: signInMethodsPage,
    act: renewRecoveryCodes,
    done: {},
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.removeSecondFactor,
    page: signInMethodsPage,
    act: removeSecondFactor,
    done: { "second-factor-off": "The second factor is off. You no longer need a code to sign in." },
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.beginPasskey,
    page: signInMethodsPage,
    act: beginPasskey,
    done: {},
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.passkeys,
    page: signInMethodsPage,
    act: createPasskey,
    done: { "passkey-added": "The passkey is added. You can use it at the next sign-in." },
    ...factorNotChanged,
  }),
  defineForm({
    at: (links) => links.removePasskey(":passkeyId"),
    page: signInMethodsPage,
    act: removePasskey,
    done: { "passkey-removed": "The passkey is removed." },
    ...factorNotChanged,
  }),
];
