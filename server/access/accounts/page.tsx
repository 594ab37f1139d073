import {
  type ConsoleSession,
  consoleSessions,
  type Preferences,
  preferences,
  secondFactor,
} from "../../../src/contract/account.ts";
import { tokens } from "../../../src/contract/credentials.ts";
import { account } from "../../../src/contract/people.ts";
import { type Device, devices } from "../../../src/contract/sign-in.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  type Filled,
  filledAgain,
  filledWith,
  IdempotencyField,
  NameField,
  TextField,
  Tick,
} from "../../console/forms.tsx";
import { ConsolePage, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { NotDone } from "../../console/notices.ts";
import { Empty, Line, Notice, Refused } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, LastUse, Timestamp } from "../../console/times.tsx";
import { atFactorField, CodeField, noRecoveryCodes } from "../sign-in-methods/second-factor.tsx";

async function endSession({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"session-ended">> {
  const params = { sessionId: param("sessionId") };
  await ask(consoleSessions.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "session-ended");
}

async function endOtherSessions({ ask, fields, links }: SignedInVisit): Promise<Reply<"sessions-ended">> {
  await ask(consoleSessions.removeOthers, { idempotencyKey: fields.idempotencyKey });
  return goTo(links.account, "sessions-ended");
}

/** The page in the answer never contains the typed password or code. */
function deleteAccount(visit: SignedInVisit): Promise<Reply<"account-deleted">> {
  const { ask, fields, links } = visit;
  const given = (name: string) => (fields.has(name) ? { [name]: fields.text(name) } : {});
  return reshowForm(
    async () => {
      const body = { email: fields.text("email"), ...given("currentPassword"), ...given("code") };
      await ask(account.remove, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.signIn, "account-deleted");
    },
    (refusal) => showAccount(visit, { removal: filledAgain(fields, atFactorField(refusal)) }),
  );
}

function savePreferences(visit: SignedInVisit): Promise<Reply<"preferences">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = { keys: fields.text("keys") === "on", afterResolving: fields.text("afterResolving") };
      await ask(preferences.update, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.account, "preferences");
    },
    (refusal) => showAccount(visit, { preferred: filledAgain(fields, refusal) }),
  );
}

/** Stores the name of the person. An empty field removes it. */
function saveName(visit: SignedInVisit): Promise<Reply<"name">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const name = fields.text("name").trim();
      const body = { name: name === "" ? null : name };
      await ask(account.update, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.account, "name");
    },
    (refusal) => showAccount(visit, { named: filledAgain(fields, refusal) }),
  );
}

interface SentForms {
  readonly named?: Filled;
  readonly removal?: Filled;
  readonly preferred?: Filled;
}

async function showAccount(
  visit: SignedInVisit,
  { removal, preferred, named }: SentForms = {},
): Promise<Reply> {
  const { links, now, ask, reads } = visit;
  const [navigation, { items: sessions }, { items: signedIn }, { items: allTokens }] = await Promise.all([
    navigationOf(visit),
    ask(consoleSessions.list),
    ask(devices.list),
    ask(tokens.list),
  ]);
  const [{ totp, recoveryCodesLeft }, mustVerify, hasPassword] = await Promise.all([
    ask(secondFactor.find),
    reads.mustVerify(),
    reads.hasPassword(),
  ]);
  return show(
    <ConsolePage navigation={navigation} title="Your account" narrow>
      <div class="head">
        <div>
          <h1>Your account</h1>
          <p>
            <Line text={navigation.email} />. You can change your password and other sign-in methods under{" "}
            <a href={links.signInMethods}>Sign-in methods</a>, and choose the notices that you get under{" "}
            <a href={links.notices()}>Notices</a>.
          </p>
        </div>
      </div>
      <div class="stack wide">
        {mustVerify && (
          <Notice>
            This address is not verified. Until you verify it, you cannot accept invitations, and you get no
            mail about your account. <a href={links.recover}>Set a new password by mail</a> to verify it. This
            also removes your tokens, devices and connected sign-in methods.
          </Notice>
        )}
        {totp && recoveryCodesLeft === 0 && (
          <Notice>
            {noRecoveryCodes} Create new ones under <a href={links.signInMethods}>Sign-in methods</a>.
          </Notice>
        )}
        <NameSection
          form={named ?? filledWith({ name: navigation.people.get(navigation.email)?.name ?? "" })}
          action={links.saveName}
        />
        <PreferencesSection
          form={preferred ?? filledWith(preferenceValues(navigation.preferences))}
          action={links.savePreferences}
        />
        <Sessions sessions={sessions} links={links} now={now} />
        <OtherAccess
          title="Devices"
          about="Phones and terminals with which you test apps."
          things={signedIn.map((device) => ({ ...device, label: device.name }))}
          page={{ at: links.devices, name: "Devices" }}
          now={now}
        />
        <OtherAccess
          title="Connections"
          about="Agents that you allowed to read your feedback."
          things={allTokens.filter(({ kind }) => kind === "oauth")}
          page={{ at: links.tokens, name: "Tokens" }}
          now={now}
        />
        <DeleteAccount form={removal} {...{ links, hasPassword }} hasFactor={totp !== null} />
      </div>
    </ConsolePage>,
    (removal ?? preferred ?? named)?.refusal?.status,
  );
}

/** The name by which other members see the person. (rule K33) */
const NameSection = ({ form, action }: { readonly form: Filled; readonly action: string }) => (
  <section class="stack" aria-labelledby="name-section">
    <h2 id="name-section">Name</h2>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <NameField
        form={form}
        hint="The members of your apps see it in place of your address. Senders and testers do not see it."
      />
      <div class="actions">
        <button type="submit">Save name</button>
      </div>
    </form>
  </section>
);

/** The browsers in which a person is signed in. */
const Sessions = ({
  sessions,
  links,
  now,
}: {
  readonly sessions: readonly ConsoleSession[];
  readonly links: Links;
  readonly now: Date;
}) => (
  <section class="stack" aria-labelledby="browsers">
    <div>
      <h2 id="browsers">Browsers</h2>
      <p class="muted small">
        Each of these browsers has full access to your account. End the sessions that you do not know, then
        change your password.
      </p>
    </div>
    <ul class="list">
      <InTurns>
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} now={now} action={links.endSession(session.id)} />
        ))}
      </InTurns>
    </ul>
    {sessions.length > 1 && (
      <form method="post" action={links.endOtherSessions}>
        <IdempotencyField />
        <button class="danger" type="submit">
          End all other sessions
        </button>
      </form>
    )}
  </section>
);

const SessionLine = ({
  session,
  now,
  action,
}: {
  readonly session: ConsoleSession;
  readonly now: Date;
  readonly action: string;
}) => (
  <li>
    <div class="row spread">
      <b>{session.browser ?? "An unknown browser"}</b>
      {session.current ? (
        <span class="badge">This browser</span>
      ) : (
        <form method="post" action={action}>
          <IdempotencyField />
          <button class="danger small" type="submit">
            End session
          </button>
        </form>
      )}
    </div>
    <p class="under">
      <span>
        signed in <Ago at={session.createdAt} now={now} />
      </span>
      <LastUse at={session.lastUsedAt} now={now} />
      <span>
        until <Timestamp at={session.expiresAt} />
      </span>
    </p>
  </li>
);

/** Lists devices or connections, and links to the page that ends their access. */
const OtherAccess = ({
  title,
  about,
  things,
  page,
  now,
}: {
  readonly title: string;
  readonly about: string;
  readonly things: readonly {
    readonly id: string;
    readonly label: string;
    readonly lastUsedAt: string | null;
  }[];
  /** The page on which the person can end the access of a device or a connection. */
  readonly page: { readonly at: string; readonly name: string };
  readonly now: Date;
}) => (
  <section class="stack" aria-labelledby={title.toLowerCase()}>
    <div>
      <h2 id={title.toLowerCase()}>{title}</h2>
      <p class="muted small">{about}</p>
    </div>
    {things.length === 0 ? (
      <p>None.</p>
    ) : (
      <ul class="list">
        <InTurns>
          {things.map(({ id, label, lastUsedAt }) => (
            <li key={id}>
              <b>
                <Line text={label} />
              </b>
              <p class="under">
                <LastUse at={lastUsedAt} now={now} />
              </p>
            </li>
          ))}
        </InTurns>
      </ul>
    )}
    {things.length > 0 && (
      <p>
        You can end their access under <a href={page.at}>{page.name}</a>.
      </p>
    )}
  </section>
);

/** Asks for the password and a code again. A stranger at a signed-in browser must not delete the account. */
const DeleteAccount = ({
  form,
  links,
  hasPassword,
  hasFactor,
}: {
  readonly form: Filled | undefined;
  readonly links: Links;
  readonly hasPassword: boolean;
  readonly hasFactor: boolean;
}) => (
  <details class="reveal danger" open={form !== undefined}>
    <summary>Delete your account</summary>
    <form class="card stack" method="post" action={links.deleteAccount}>
      <Refused refusal={form?.refusal} />
      <p>
        Your account, its tokens, devices, connections and memberships are deleted permanently. Texts that you
        wrote in apps are not deleted, but your name is removed from them. Reports that you sent as a user of
        an app belong to the owners of that app. Ask them to erase your data.
      </p>
      <IdempotencyField />
      <TextField
        form={form ?? filledWith()}
        name="email"
        label="Your e-mail address"
        type="email"
        autocomplete="off"
        hint="Type the address of this account to confirm."
        required
      />
      {hasPassword && (
        <TextField
          form={{ value: () => "", refusal: form?.refusal }}
          name="currentPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
      )}
      {hasFactor && <CodeField form={form} part="delete" />}
      <div class="actions">
        <button class="danger" type="submit">
          Delete the account permanently
        </button>
      </div>
    </form>
  </details>
);

const afterResolving = [
  {
    value: "next",
    label: "Open the next thread",
    hint: "You can handle a list of threads one after the other.",
  },
  { value: "stay", label: "Stay on the thread", hint: "You see the result of your action." },
  { value: "list", label: "Go back to the list", hint: "You choose the next thread yourself." },
];

const preferenceValues = (stored: Preferences) => ({
  keys: stored.keys ? "on" : "",
  afterResolving: stored.afterResolving,
});

const PreferencesSection = ({ form, action }: { readonly form: Filled; readonly action: string }) => (
  <section class="stack" aria-labelledby="preferences">
    <h2 id="preferences">Keyboard and lists</h2>
    <form class="card stack" method="post" action={action}>
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <Tick
        form={form}
        name="keys"
        label="Single keys"
        hint="Keys such as J, K and E move through pages and act on threads while you are not typing in a field. Press ? to see all of these keys."
      />
      <Choices
        form={form}
        name="afterResolving"
        legend="After you resolve or archive a thread"
        options={afterResolving}
      />
      <div class="actions">
        <button type="submit">Save</button>
      </div>
    </form>
  </section>
);

const accountPage = definePage({
  at: (links) => links.account,
  needs: "account",
  show: (visit) => showAccount(visit),
});

const sessionNotEnded: NotDone = { word: "endSession", notDone: "No session was ended." };

/** Shows the phones and terminals with which a person tests apps. */
async function showDevices(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(devices.list);
  return show(
    <ConsolePage navigation={navigation} title="Devices" narrow>
      <div class="head">
        <div>
          <h1>Devices</h1>
          <p>
            The phones and terminals that you have signed in to test apps. They see your tests and send your
            proofs. They have no other access to your account.
          </p>
        </div>
      </div>
      {items.length === 0 ? (
        <Empty title="No device is signed in">
          <p>
            To sign a device in, use the app for testers or the command <code>innkeep auth login</code>. It
            opens a page on which you approve the device.
          </p>
        </Empty>
      ) : (
        <ul class="list">
          <InTurns>
            {items.map((device) => (
              <DeviceLine
                key={device.id}
                device={device}
                now={visit.now}
                action={visit.links.device(device.id, "sign-out")}
              />
            ))}
          </InTurns>
        </ul>
      )}
    </ConsolePage>,
  );
}

const DeviceLine = ({
  device,
  now,
  action,
}: {
  readonly device: Device;
  readonly now: Date;
  readonly action: string;
}) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={device.name} />
      </b>
      <code>{device.prefix}…</code>
    </div>
    <p class="under">
      <span>
        signed in <Ago at={device.createdAt} now={now} />
      </span>
      <LastUse at={device.lastUsedAt} now={now} />
      <span>
        until <Timestamp at={device.expiresAt} />
      </span>
    </p>
    <details class="reveal">
      <summary>Sign out</summary>
      <form class="stack" method="post" action={action}>
        <p>
          The device loses access immediately. Days of a test that were already counted stay counted. You can
          sign the device in again at any time.
        </p>
        <IdempotencyField />
        <div class="actions">
          <button class="danger" type="submit">
            Sign this device out
          </button>
        </div>
      </form>
    </details>
  </li>
);

async function signDeviceOut({
  ask,
  fields,
  links,
  param,
}: SignedInVisit): Promise<Reply<"device-signed-out">> {
  await ask(devices.remove, {
    params: { deviceId: param("deviceId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.devices, "device-signed-out");
}

const devicesPage = definePage({
  at: (links) => links.devices,
  needs: "account",
  show: showDevices,
});

export const definitions: Definitions = [
  accountPage,
  defineForm({
    at: (links) => links.savePreferences,
    page: accountPage,
    act: savePreferences,
    done: { preferences: "Your settings are saved." },
    word: "savePreferences",
    notDone: "Your settings were not saved.",
  }),
  defineForm({
    at: (links) => links.saveName,
    page: accountPage,
    act: saveName,
    done: { name: "Your name is saved." },
    word: "saveName",
    notDone: "Your name was not saved.",
  }),
  defineForm({
    at: (links) => links.endSession(":sessionId"),
    page: accountPage,
    act: endSession,
    done: { "session-ended": "The session is ended. That browser must sign in again." },
    ...sessionNotEnded,
  }),
  defineForm({
    at: (links) => links.endOtherSessions,
    page: accountPage,
    act: endOtherSessions,
    done: { "sessions-ended": "All other sessions are ended. Those browsers must sign in again." },
    ...sessionNotEnded,
  }),
  defineForm({
    at: (links) => links.deleteAccount,
    page: accountPage,
    act: deleteAccount,
    done: { "account-deleted": "Your account is deleted." },
    word: "deleteAccount",
    notDone: "Your account was not deleted.",
  }),
  devicesPage,
  defineForm({
    at: (links) => links.device(":deviceId", "sign-out"),
    page: devicesPage,
    act: signDeviceOut,
    done: { "device-signed-out": "The device is signed out. Its token no longer works." },
    word: "signDeviceOut",
    notDone: "The device was not signed out.",
  }),
];
