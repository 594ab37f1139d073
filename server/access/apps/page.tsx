import { type App, apps, type OldThreads } from "../../../src/contract/apps.ts";
import { type AppKey, keys } from "../../../src/contract/credentials.ts";
import { badRequest } from "../../../src/contract/errors.ts";
import { oldThreadsText } from "../../../src/words/thread.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  givenFor,
  HiddenFields,
  IdempotencyField,
  OriginalValues,
  Select,
  TextField,
  Tick,
  type Values,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage, navigationOf } from "../../console/layout.tsx";
import { MailFaultNotice, mailFaultFor } from "../../console/mail-fault.tsx";
import { changed, changesNotSaved, type NotDone } from "../../console/notices.ts";
import type { LastChange } from "../../console/page-reads.ts";
import { By, Line, Notice, Refused, Secret } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, LastUse } from "../../console/times.tsx";
import type { MailFault } from "../../mail/outgoing/rules.ts";

function createApp(visit: SignedInVisit): Promise<Reply<"app-created">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const body = appBody(givenFor(fields, emptyApp));
      const app = await ask(apps.create, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.start(app.id), "app-created");
    },
    (refusal) => showNewApp(visit, filledAgain(fields, refusal)),
  );
}

function updateApp(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const current = currentApp(await ask(apps.read, { params }));
      const body = appBody(changedValues(fields, givenFor(fields, current), current));
      const toDelete = await oldThreads(visit, body.retentionDays);
      if (toDelete) return showApp(visit, { edit: { value: fields.text, sent: true }, toDelete });
      await ask(apps.update, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.app(params.appId), "changed");
    },
    (refusal) => showApp(visit, { edit: filledAgain(fields, refusal) }),
  );
}

/**
 * Returns how many threads `days` would delete. Returns undefined for no threads, and after the person has
 * confirmed `days`.
 */
async function oldThreads(
  { ask, fields, param }: SignedInVisit,
  days: unknown,
): Promise<ThreadsToDelete | undefined> {
  if (typeof days !== "number" || fields.text("seenDays") === String(days)) return undefined;
  const params = { appId: param("appId") };
  const query = { days: String(days) };
  const old = await ask(apps.retention, { params, query });
  return old.threads === 0 ? undefined : { days, ...old };
}

/** Deletes an app if the person typed its name, so that nobody deletes the wrong app by mistake. */
function deleteApp(visit: SignedInVisit): Promise<Reply<"app-deleted">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const { name } = await ask(apps.read, { params });
      if (fields.text("confirmation").trim() !== name)
        throw badRequest("confirmation", "does not match the name of this app");
      await ask(apps.remove, { params, idempotencyKey: fields.idempotencyKey });
      return goTo(links.home, "app-deleted");
    },
    (refusal) => showApp(visit, { removal: filledAgain(fields, refusal) }),
  );
}

/** Creates a key. A redirect would put the key into an address or a cookie. */
function createKey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const body = { label: fields.text("label"), kind: fields.text("kind") };
      const made = await ask(keys.create, {
        params: { appId: param("appId") },
        body,
        idempotencyKey: fields.idempotencyKey,
      });
      return showApp(visit, { made });
    },
    (refusal) => showApp(visit, { key: filledAgain(fields, refusal) }),
  );
}

async function regenerateKey(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const params = { appId: param("appId"), keyId: param("keyId") };
  return showApp(visit, {
    made: await ask(keys.regenerate, { params, idempotencyKey: fields.idempotencyKey }),
  });
}

async function revokeKey({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"key-revoked">> {
  const params = { appId: param("appId"), keyId: param("keyId") };
  await ask(keys.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.app(params.appId), "key-revoked");
}

/** What the settings page shows after a form was sent. */
interface AppForms extends KeyForms {
  readonly edit?: Filled;
  readonly removal?: Filled;
  readonly toDelete?: ThreadsToDelete;
}

/** Resolved threads that are older than a new setting allows. */
interface ThreadsToDelete extends OldThreads {
  readonly days: number;
}

async function showApp(visit: SignedInVisit, forms: AppForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const { items } = await visit.ask(keys.list, { params: { appId: navigation.app.id } });
  const [change, mailFault] = await Promise.all([
    visit.reads.appAuthor(navigation.app.id),
    mailFaultFor(visit, navigation),
  ]);
  const refusal = [forms.edit, forms.key, forms.removal].find((form) => form)?.refusal;
  return show(
    <AppSettings {...{ navigation, forms, change, mailFault }} keys={items} now={visit.now} />,
    refusal?.status,
  );
}

const AppSettings = (props: {
  readonly navigation: AppNavigation;
  readonly keys: readonly AppKey[];
  readonly forms: AppForms;
  /** Who last changed the settings, and when. */
  readonly change: LastChange | undefined;
  readonly mailFault: MailFault | undefined;
  readonly now: Date;
}) => {
  const { navigation, forms } = props;
  return (
    <ConsolePage navigation={navigation} title="Settings" narrow>
      <div class="head">
        <div>
          <h1>Settings</h1>
          {props.change && (
            <p>
              Changed <Ago at={props.change.at} now={props.now} />
              <By change={props.change} />
            </p>
          )}
        </div>
      </div>
      <div class="stack wide">
        <MailFaultNotice fault={props.mailFault} />
        <ApiKeys {...props} />
        <Edit navigation={navigation} form={forms.edit} toDelete={forms.toDelete} />
        {navigation.app.role === "owner" && (
          <p>
            <a href={navigation.links.start(navigation.app.id)}>First steps</a> ·{" "}
            <a href={navigation.links.webhooks(navigation.app.id)}>Webhooks</a> ·{" "}
            <a href={navigation.links.data(navigation.app.id)}>Export or import</a>
          </p>
        )}
        <Delete navigation={navigation} form={forms.removal} />
      </div>
    </ConsolePage>
  );
};

interface FormProps {
  readonly navigation: AppNavigation;
  readonly form: Filled | undefined;
}

const Edit = ({
  navigation: { app, links },
  form,
  toDelete,
}: FormProps & { readonly toDelete: ThreadsToDelete | undefined }) => {
  const current = currentApp(app);
  const shown = filledOver(form, current);
  return (
    <section class="stack" aria-labelledby="app">
      <h2 id="app">App</h2>
      <form class="card stack" method="post" action={links.app(app.id)} data-guards>
        <Refused refusal={shown.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} form={shown} />
        {toDelete && <OldThreadsNotice {...toDelete} />}
        <AppFields form={shown} />
        <div class="actions">
          <button class={toDelete ? "danger" : "primary"} type="submit">
            {toDelete ? "Save and delete these threads" : "Save"}
          </button>
        </div>
      </form>
    </section>
  );
};

const OldThreadsNotice = ({ days, ...old }: ThreadsToDelete) => (
  <>
    <HiddenFields values={[["seenDays", String(days)]]} />
    <Notice kind="attention">
      <b>Nothing is saved yet.</b> {oldThreadsText(old)} older than {days} days. The next daily cleanup would
      delete {old.threads === 1 ? "it" : "them"} with all files.
    </Notice>
  </>
);

const Delete = ({ navigation: { app, links }, form }: FormProps) => (
  <details class="reveal danger" open={form !== undefined}>
    <summary>Delete this app</summary>
    <form class="card stack" method="post" action={links.app(app.id, "delete")}>
      <Refused refusal={form?.refusal} />
      <p>
        All feedback with its files, the FAQ, the release notes, and every key and token of{" "}
        <Line text={app.name} /> are deleted permanently. After that, requests with its keys are refused.
      </p>
      <IdempotencyField />
      <TextField
        form={form ?? filledWith()}
        name="confirmation"
        label="Name of the app"
        autocomplete="off"
        hint={
          <>
            Type <Line text={app.name} /> to confirm.
          </>
        }
        required
      />
      <div class="actions">
        <button class="danger" type="submit">
          Delete the app permanently
        </button>
      </div>
    </form>
  </details>
);

async function showNewApp(
  visit: SignedInVisit,
  // Like the first app of an account, a new app has sender pages.
  form: Filled = filledWith({ feedbackEnabled: "on", changelogEnabled: "on", senderPages: "on" }),
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="New app" narrow>
      <div class="head">
        <div>
          <h1>New app</h1>
          <p>
            A mobile app, a backend or a website about which your users send feedback. Do you have an exported
            app? <a href={navigation.links.importApp}>Import it</a>. To begin with a key and a first report,
            use the <a href={navigation.links.newStart}>first steps</a>.
          </p>
        </div>
      </div>
      <form class="card stack" method="post" action={navigation.links.newApp} data-guards>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <AppFields form={form} />
        <div class="actions">
          <button class="primary" type="submit">
            Create app
          </button>
        </div>
      </form>
    </ConsolePage>,
    form.refusal?.status,
  );
}

const AppFields = ({ form }: { readonly form: Filled }) => (
  <>
    <TextField form={form} name="name" label="Name" required />
    <div>
      <Tick
        form={form}
        name="feedbackEnabled"
        label="Accept feedback"
        hint="When this is off, reports are refused with an error."
      />
      <Tick
        form={form}
        name="changelogEnabled"
        label="Show the release notes"
        hint="When this is off, apps cannot read the release notes."
      />
      <Tick
        form={form}
        name="senderPages"
        label="Sender pages"
        hint="Each sender gets a private link to read your replies and answer. When this is off, the links do not work."
      />
    </div>
    <Select
      form={form}
      name="chatFormat"
      label="Chat"
      options={chatNames}
      hint="New proposals are posted to this chat. Members can choose to get their notices there, too."
    />
    <TextField
      form={form}
      name="chatWebhookUrl"
      label="Chat webhook"
      type="url"
      placeholder="https://"
      hint="The address of an incoming webhook. For ntfy, it is the address of a topic. For Telegram, it is https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>. Treat the address as a secret."
    />
    <TextField
      form={form}
      name="githubRepository"
      label="GitHub repository"
      placeholder="owner/name"
      hint="The repository of this app's code."
    />
    <TextField
      form={form}
      name="approvalHours"
      label="Approvals expire after (hours)"
      type="number"
      hint="If no agent has claimed an approved proposal after this time, it counts as rejected. If the field is empty, approvals do not expire."
    />
    <TextField
      form={form}
      name="retentionDays"
      label="Delete resolved threads after (days)"
      type="number"
      hint="A resolved thread is deleted with its files after this number of days without activity. If the field is empty, threads are not deleted."
    />
  </>
);

const chatNames = [
  ["slack", "Slack, or a chat that accepts messages for Slack"],
  ["mattermost", "Mattermost"],
  ["discord", "Discord"],
  ["teams", "Microsoft Teams"],
  ["telegram", "Telegram"],
  ["ntfy", "ntfy"],
  ["json", "JSON for your own program"],
] as const;

/** The values of the form before anybody has filled it. */
const emptyApp: Values = {
  name: "",
  feedbackEnabled: "",
  changelogEnabled: "",
  senderPages: "",
  chatWebhookUrl: "",
  chatFormat: "slack",
  githubRepository: "",
  approvalHours: "",
  retentionDays: "",
};

const currentApp = (app: App) => ({
  name: app.name,
  feedbackEnabled: app.feedbackEnabled ? "on" : "",
  changelogEnabled: app.changelogEnabled ? "on" : "",
  senderPages: app.senderPages ? "on" : "",
  chatWebhookUrl: app.chatWebhookUrl ?? "",
  chatFormat: app.chatFormat,
  githubRepository: app.githubRepository ?? "",
  approvalHours: app.approvalHours === null ? "" : String(app.approvalHours),
  retentionDays: app.retentionDays === null ? "" : String(app.retentionDays),
});

/**
 * Returns the request body for the values of the form. For an optional setting, an empty value becomes null.
 */
function appBody({
  feedbackEnabled,
  changelogEnabled,
  senderPages,
  ...rest
}: Values): Record<string, unknown> {
  const { chatWebhookUrl, githubRepository, approvalHours, retentionDays } = rest;
  return {
    ...rest,
    ...(feedbackEnabled === undefined ? {} : { feedbackEnabled: feedbackEnabled === "on" }),
    ...(changelogEnabled === undefined ? {} : { changelogEnabled: changelogEnabled === "on" }),
    ...(senderPages === undefined ? {} : { senderPages: senderPages === "on" }),
    ...(chatWebhookUrl === "" ? { chatWebhookUrl: null } : {}),
    ...(githubRepository === "" ? { githubRepository: null } : {}),
    ...(approvalHours === undefined ? {} : { approvalHours: numberOf(approvalHours) }),
    ...(retentionDays === undefined ? {} : { retentionDays: numberOf(retentionDays) }),
  };
}

const numberOf = (text: string): number | null => (text === "" ? null : Number(text));

/** What the section for keys shows after its form was sent: the refused form, or the new key. */
interface KeyForms {
  readonly key?: Filled;
  /** The new key. Its secret is shown only once. */
  readonly made?: { readonly label: string; readonly key: string };
}

const ApiKeys = ({
  navigation: { links, app },
  keys,
  forms: { made, key },
  now,
}: {
  readonly navigation: AppNavigation;
  readonly keys: readonly AppKey[];
  readonly forms: KeyForms;
  readonly now: Date;
}) => (
  <section class="stack" aria-labelledby="keys" id="keys-section">
    <div>
      <h2 id="keys">Keys</h2>
      <p class="muted">
        An app sends its key in the header <code>x-api-key</code>. Several keys can be valid at the same time,
        so you can replace a key while your app is running.
      </p>
    </div>
    {made && (
      <div class="card fresh">
        <Secret
          label={made.label === "" ? "The new key" : `The new key for ${made.label}`}
          secret={made.key}
        />
      </div>
    )}
    {keys.length === 0 ? (
      <Notice kind="attention">This app has no key yet, so it cannot send anything.</Notice>
    ) : (
      <ul class="list">
        <InTurns>
          {keys.map((row) => (
            <KeyLine key={row.id} row={row} now={now} at={(part) => links.key(app.id, row.id, part)} />
          ))}
        </InTurns>
      </ul>
    )}
    <details class="reveal" open={key !== undefined || keys.length === 0}>
      <summary>Create a key</summary>
      <NewKey form={key} action={links.app(app.id, "keys")} />
    </details>
  </section>
);

const kinds = [
  {
    value: "intake",
    label: "Intake",
    hint: "For use inside an app. It can only send feedback, read the FAQ and the release notes, and report sessions of a test.",
  },
  {
    value: "full",
    label: "Full",
    hint: "For servers and CI. It allows everything that an app may do, including writing the FAQ.",
  },
] as const;

const NewKey = ({ form, action }: { readonly form: Filled | undefined; readonly action: string }) => (
  <form class="card stack" method="post" action={action}>
    <Refused refusal={form?.refusal} />
    <IdempotencyField />
    <TextField
      form={form ?? filledWith()}
      name="label"
      label="Label"
      hint="Write where you will use the key. Before you revoke a key, its label tells you what will stop working."
    />
    <Choices
      form={form ?? filledWith({ kind: "intake" })}
      name="kind"
      legend="What the key may do"
      options={kinds}
    />
    <div class="actions">
      <button class="primary" type="submit">
        Create key
      </button>
    </div>
  </form>
);

const KeyLine = ({
  row,
  now,
  at,
}: {
  readonly row: AppKey;
  readonly now: Date;
  readonly at: (part: string) => string;
}) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={row.label || "Without a label"} />
      </b>
      <span class="row">
        <code>{row.prefix}…</code>
        <span class="badge">{row.kind === "full" ? "Full" : "Intake"}</span>
      </span>
    </div>
    <p class="under">
      <span>
        created <Ago at={row.createdAt} now={now} />
      </span>
      <LastUse at={row.lastUsedAt} now={now} />
    </p>
    <details class="reveal">
      <summary>Replace or revoke</summary>
      <div class="stack">
        <p>In both cases, the current key immediately stops working everywhere.</p>
        <div class="actions">
          <form method="post" action={at("regenerate")}>
            <IdempotencyField />
            <button type="submit">Replace with a new key</button>
          </form>
          <form method="post" action={at("revoke")}>
            <IdempotencyField />
            <button class="danger" type="submit">
              Revoke
            </button>
          </form>
        </div>
      </div>
    </details>
  </li>
);

const newAppPage = definePage({
  at: (links) => links.newApp,
  needs: "account",
  show: showNewApp,
});

const appPage = definePage({
  at: (links) => links.app(":appId"),
  needs: "viewer",
  show: showApp,
});

const keyNotMade: NotDone = { word: "makeKey", notDone: "No key was created." };

export const definitions: Definitions = [
  newAppPage,
  appPage,
  defineForm({
    at: (links) => links.newApp,
    page: newAppPage,
    act: createApp,
    done: { "app-created": "The app is ready. Create its first key below." },
    word: "createApp",
    notDone: "The app was not created.",
  }),
  defineForm({
    at: (links) => links.app(":appId"),
    page: appPage,
    act: updateApp,
    done: changed,
    ...changesNotSaved,
  }),
  defineForm({
    at: (links) => links.app(":appId", "delete"),
    page: appPage,
    act: deleteApp,
    done: { "app-deleted": "The app and everything in it are deleted." },
    word: "deleteApp",
    notDone: "The app was not deleted.",
  }),
  defineForm({
    at: (links) => links.app(":appId", "keys"),
    page: appPage,
    act: createKey,
    done: {},
    ...keyNotMade,
  }),
  defineForm({
    at: (links) => links.key(":appId", ":keyId", "regenerate"),
    page: appPage,
    act: regenerateKey,
    done: {},
    ...keyNotMade,
  }),
  defineForm({
    at: (links) => links.key(":appId", ":keyId", "revoke"),
    page: appPage,
    act: revokeKey,
    done: { "key-revoked": "The key is revoked. It no longer works." },
    word: "revokeKey",
    notDone: "The key was not revoked.",
  }),
];
