import { ApiError } from "../../../src/contract/errors.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  eventTypes,
  type Webhook,
  webhooks,
} from "../../../src/contract/events.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Fields,
  type Filled,
  faultAt,
  filledAgain,
  filledWith,
  IdempotencyField,
  OriginalValues,
  SavedText,
  Select,
  savedAt,
  TextField,
  Tick,
  unchangedValues,
  type Values,
  withStored,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../console/layout.tsx";
import { changed } from "../../console/notices.ts";
import { Empty, Line, Pager, Refused, Secret } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, fieldTime, Timestamp } from "../../console/times.tsx";

const hookParams = ({ param }: SignedInVisit) => ({
  appId: param("appId"),
  webhookId: param("webhookId"),
});

/** Returns the values of a form for a webhook. `events` has the chosen events, with a space between them. */
const givenIn = ({ text }: Pick<Fields, "text">): Values => ({
  url: text("url"),
  texts: text("texts"),
  events: eventTypes.filter((type) => text(eventField(type)) === "on").join(" "),
});

const eventsIn = (events: string): string[] => events.split(" ").filter((type) => type !== "");

const eventField = (type: string): string => `events.${type}`;

/** Returns the form values of a stored webhook. Leaves out events that this version does not have. */
const currentWebhook = ({ url, texts, events }: Webhook): Values => ({
  url,
  texts: texts ? "on" : "",
  events: eventTypes.filter((type) => events?.includes(type)).join(" "),
});

/** Returns the request body for the values of the form. If no event is chosen, the webhook gets all events. */
const webhookBody = ({ texts, events, ...rest }: Values): Record<string, unknown> => ({
  ...rest,
  ...(texts === undefined ? {} : { texts: texts === "on" }),
  ...(events === undefined ? {} : { events: events === "" ? null : eventsIn(events) }),
});

/** Returns the values of a webhook by the names of the form fields. Each event has a checkbox. */
const inFields = ({ events = "", ...rest }: Values): Values => ({
  ...rest,
  ...Object.fromEntries(eventsIn(events).map((type) => [eventField(type), "on"])),
});

/**
 * Returns the form for a webhook. A field that the person did not change shows the stored value of `current`.
 */
function webhookForm(sent: Filled | undefined, current: Values): Filled {
  if (!sent) return filledWith(inFields(current));
  const stored = unchangedValues(sent, current, givenIn({ text: sent.value }));
  return withStored(sent, stored, inFields(stored));
}

/** Creates a webhook and shows its secret. A redirect would put the secret into an address or a cookie. */
function createWebhook(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  return reshowForm(
    async () => {
      const made = await ask(webhooks.create, {
        params: { appId: param("appId") },
        body: webhookBody(givenIn(fields)),
        idempotencyKey: fields.idempotencyKey,
      });
      return showWebhooks(visit, { made });
    },
    (refusal) => showWebhooks(visit, { form: filledAgain(fields, refusal) }),
  );
}

function changeWebhook(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links } = visit;
  const params = hookParams(visit);
  return reshowForm(
    async () => {
      const current = currentWebhook(await readWebhook(visit));
      const body = webhookBody(changedValues(fields, givenIn(fields), current));
      await ask(webhooks.update, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.webhook(params.appId, params.webhookId), "changed");
    },
    (refusal) => showWebhook(visit, { form: filledAgain(fields, refusal) }),
  );
}

const switchTo = (enabled: boolean) =>
  async function switchWebhook(visit: SignedInVisit): Promise<Reply<"webhook-on" | "webhook-off">> {
    const { ask, fields, links } = visit;
    const params = hookParams(visit);
    await ask(webhooks.update, { params, body: { enabled }, idempotencyKey: fields.idempotencyKey });
    return goTo(links.webhook(params.appId, params.webhookId), enabled ? "webhook-on" : "webhook-off");
  };

async function deleteWebhook(visit: SignedInVisit): Promise<Reply<"webhook-deleted">> {
  const { ask, fields, links } = visit;
  const params = hookParams(visit);
  await ask(webhooks.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.webhooks(params.appId), "webhook-deleted");
}

function rotateSecret(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const made = await ask(webhooks.rotate, {
        params: hookParams(visit),
        body: { oldSecretHours: Number(fields.text("oldSecretHours")) },
        idempotencyKey: fields.idempotencyKey,
      });
      return showWebhook(visit, { secret: made.secret });
    },
    (refusal) => showWebhook(visit, { refusal }),
  );
}

function testWebhook(visit: SignedInVisit): Promise<Reply<"webhook-tested">> {
  const { ask, fields, links } = visit;
  const params = hookParams(visit);
  return reshowForm(
    async () => {
      await ask(webhooks.test, { params, idempotencyKey: fields.idempotencyKey });
      return goTo(links.webhook(params.appId, params.webhookId), "webhook-tested");
    },
    (refusal) => showWebhook(visit, { refusal }),
  );
}

function resendDelivery(visit: SignedInVisit): Promise<Reply<"webhook-resent">> {
  const { ask, fields, links, param } = visit;
  const params = hookParams(visit);
  return reshowForm(
    async () => {
      await ask(webhooks.resend, {
        params: { ...params, deliveryId: param("deliveryId") },
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.webhook(params.appId, params.webhookId), "webhook-resent");
    },
    (refusal) => showWebhook(visit, { refusal }),
  );
}

function replayEvents(visit: SignedInVisit): Promise<Reply<"webhook-replayed">> {
  const { ask, fields, links } = visit;
  const params = hookParams(visit);
  return reshowForm(
    async () => {
      const body = { from: utcOfField(fields.text("from")), to: utcOfField(fields.text("to")) };
      await ask(webhooks.replay, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.webhook(params.appId, params.webhookId), "webhook-replayed");
    },
    (refusal) => showWebhook(visit, { replay: filledAgain(fields, refusal) }),
  );
}

/** Returns the time in a field of the type `datetime-local`. The page shows such times in UTC. */
const utcOfField = (text: string): string => (text === "" ? text : `${text.slice(0, 16)}Z`);

interface ListForms {
  readonly form?: Filled;
  /** A new webhook. Its secret is shown only once. */
  readonly made?: { readonly id: string; readonly secret: string };
}

async function showWebhooks(visit: SignedInVisit, { form, made }: ListForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const { items } = await visit.ask(webhooks.list, { params: { appId: navigation.app.id } });
  const { app, links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Webhooks" narrow>
      <div class="head">
        <div>
          <h1>Webhooks</h1>
          <p>A webhook sends the events of this app to the address of one of your programs.</p>
        </div>
      </div>
      <div class="stack wide">
        {made && (
          <div class="card fresh stack">
            <p>The webhook is on. Store its secret now: it is not shown again.</p>
            <Secret label="The secret that signs the events" secret={made.secret} />
          </div>
        )}
        {items.length === 0 ? (
          <Empty title="No webhooks yet">
            <p>
              Events are signed as the specification Standard Webhooks requires. They contain ids and links.
              They contain texts only if you select that.
            </p>
          </Empty>
        ) : (
          <ul class="list">
            <InTurns>
              {items.map((webhook) => (
                <li key={webhook.id}>
                  <div class="row spread">
                    <a href={links.webhook(app.id, webhook.id)}>
                      <Line text={webhook.url} />
                    </a>
                    <State webhook={webhook} />
                  </div>
                  <p class="hint">{wordsOf(webhook)}</p>
                </li>
              ))}
            </InTurns>
          </ul>
        )}
        <section class="stack" aria-labelledby="new-webhook">
          <h2 id="new-webhook">New webhook</h2>
          <form class="card stack" method="post" action={links.webhooks(app.id)}>
            <Refused refusal={form?.refusal} />
            <IdempotencyField />
            <WebhookFields form={form ?? filledWith()} />
            <div class="actions">
              <button class="primary" type="submit">
                Create webhook
              </button>
            </div>
          </form>
        </section>
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

const State = ({ webhook }: { readonly webhook: Webhook }) => {
  if (webhook.disabledAt !== null) return <span class="badge">Off</span>;
  if (webhook.lastStatus === "failed") return <span class="badge red">Failing</span>;
  return <span class="badge green">On</span>;
};

/** Returns the text that describes a webhook in a list. */
function wordsOf({ events, texts, waiting, disabledBecause }: Webhook): string {
  const what = events === null ? "All events" : events.join(", ");
  const off = disabledBecause === "gone" ? " · switched off, because its receiver answered 410 (Gone)" : "";
  return `${what}${texts ? " · with texts" : ""}${waiting > 0 ? ` · ${waiting} waiting` : ""}${off}`;
}

const WebhookFields = ({ form }: { readonly form: Filled }) => (
  <>
    <TextField form={form} name="url" label="Address" type="url" required />
    <EventChoice form={form} />
    <Tick
      form={form}
      name="texts"
      label="With texts"
      hint="Events also contain subjects, messages, proposals and the titles of release notes."
    />
  </>
);

/** The checkboxes for the events of a webhook. If none is chosen, the webhook gets all events. */
const EventChoice = ({ form }: { readonly form: Filled }) => {
  const fault = faultAt(form, "events");
  const saved = savedAt(form, "events");
  const isChosen = eventTypes.some((type) => form.value(eventField(type)) === "on");
  return (
    <>
      <details class="reveal" open={isChosen || fault !== undefined}>
        <summary>Only some events</summary>
        <p class="hint">
          If you select none, all events are sent, including new kinds of events in later versions.
        </p>
        {eventTypes.map((type) => (
          <Tick key={type} form={form} name={eventField(type)} label={type} />
        ))}
        {fault !== undefined && <p class="fault">{`${eventsLabel} ${fault}.`}</p>}
      </details>
      {saved !== undefined && (
        <SavedText label={eventsLabel} text={eventsIn(saved).join("\n") || "All events"} />
      )}
    </>
  );
};

const eventsLabel = "The choice of events";

interface WebhookForms {
  readonly form?: Filled;
  readonly replay?: Filled;
  readonly refusal?: ApiError;
  /** The new secret. It is shown only once. */
  readonly secret?: string;
}

async function showWebhook(visit: SignedInVisit, forms: WebhookForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const params = hookParams(visit);
  const webhook = await readWebhook(visit);
  const cursor = visit.query("cursor");
  const log = await visit.ask(webhooks.deliveries, { params, query: { cursor, limit: "20" } });
  const status = (forms.form?.refusal ?? forms.replay?.refusal ?? forms.refusal)?.status;
  return show(<WebhookPage {...{ navigation, visit, webhook, forms, log, cursor }} />, status);
}

/** Returns the webhook in the path. Throws `not_found` if the app has no such webhook. */
async function readWebhook(visit: SignedInVisit): Promise<Webhook> {
  const { appId, webhookId } = hookParams(visit);
  const { items } = await visit.ask(webhooks.list, { params: { appId } });
  const webhook = items.find(({ id }) => id === webhookId.toLowerCase());
  if (!webhook) throw new ApiError("not_found");
  return webhook;
}

interface WebhookPageProps {
  readonly navigation: AppNavigation;
  readonly visit: SignedInVisit;
  readonly webhook: Webhook;
  readonly forms: WebhookForms;
  readonly log: { readonly items: readonly Delivery[]; readonly nextCursor: string | null };
  readonly cursor: string;
}

const WebhookPage = ({ navigation, visit, webhook, forms, log, cursor }: WebhookPageProps) => {
  const { app, links } = navigation;
  const at = (part = "") => links.webhook(app.id, webhook.id, part);
  const isOn = webhook.disabledAt === null;
  return (
    <ConsolePage navigation={navigation} title="Webhook" narrow>
      <div class="head">
        <div>
          <p>
            <a href={links.webhooks(app.id)}>Webhooks</a>
          </p>
          <h1>
            <Line text={new URL(webhook.url).host} />
          </h1>
          <p>
            <State webhook={webhook} /> {wordsOf(webhook)}
          </p>
        </div>
        {isOn && (
          <form method="post" action={at("test")}>
            <IdempotencyField />
            <button type="submit">Send a test event</button>
          </form>
        )}
      </div>
      <div class="stack wide">
        <Refused refusal={forms.refusal} />
        {forms.secret !== undefined && (
          <div class="card fresh stack">
            <p>The new secret is in use. Store it now: it is not shown again.</p>
            <Secret label="The new secret" secret={forms.secret} />
          </div>
        )}
        <Log log={log} visit={visit} at={at} isOn={isOn} cursor={cursor} />
        <SettingsOf webhook={webhook} forms={forms} at={at} visit={visit} />
      </div>
    </ConsolePage>
  );
};

const Log = ({
  log: { items, nextCursor },
  visit,
  at,
  isOn,
  cursor,
}: Pick<WebhookPageProps, "log" | "visit" | "cursor"> & {
  readonly at: (part?: string) => string;
  readonly isOn: boolean;
}) => (
  <section class="stack" aria-labelledby="log">
    <h2 id="log">Deliveries</h2>
    {items.length === 0 ? (
      <Empty title="Nothing was sent yet">
        <p>The log keeps deliveries with their answers for 90 days.</p>
      </Empty>
    ) : (
      <ul class="list">
        <InTurns>
          {items.map((delivery) => (
            <li key={delivery.id}>
              <div class="row spread">
                <span>
                  <b>{delivery.type}</b> <Ago at={delivery.eventAt} now={visit.now} />
                </span>
                <span class={stateBadges[delivery.status] ?? "badge"}>
                  {stateNames[delivery.status] ?? delivery.status}
                </span>
              </div>
              {delivery.nextAt !== null && delivery.attempts.length > 0 && (
                <p class="hint">
                  Next attempt: <Timestamp at={delivery.nextAt} />
                </p>
              )}
              <details class="reveal">
                <summary>
                  {delivery.attempts.length === 1 ? "1 attempt" : `${delivery.attempts.length} attempts`}
                  <span class="unseen">{` of ${delivery.type}`}</span>
                </summary>
                <p class="hint">
                  webhook-id <code>{delivery.id}</code>
                </p>
                <ul>
                  {delivery.attempts.map((attempt) => (
                    <Attempt key={attempt.at} attempt={attempt} />
                  ))}
                </ul>
                {isOn && (
                  <form method="post" action={at(`deliveries/${delivery.id}/resend`)}>
                    <IdempotencyField />
                    <button class="small" type="submit">
                      Send again<span class="unseen">{` ${delivery.type}`}</span>
                    </button>
                  </form>
                )}
              </details>
            </li>
          ))}
        </InTurns>
      </ul>
    )}
    <Pager
      first={cursor === "" ? undefined : at()}
      next={nextCursor === null ? undefined : `${at()}?${new URLSearchParams({ cursor: nextCursor })}`}
    />
  </section>
);

const stateNames: Readonly<Record<string, string>> = {
  waiting: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
};

const stateBadges: Readonly<Record<string, string>> = { delivered: "badge green", failed: "badge red" };

const Attempt = ({
  attempt: { at, status, error, answer, milliseconds },
}: {
  readonly attempt: DeliveryAttempt;
}) => (
  <li>
    <Timestamp at={at} />: {status === null ? error : `${status} after ${milliseconds} ms`}
    {answer !== null && answer !== "" && (
      <>
        {" "}
        <Line text={answer} />
      </>
    )}
  </li>
);

const SettingsOf = ({
  webhook,
  forms,
  at,
  visit,
}: {
  readonly webhook: Webhook;
  readonly forms: WebhookForms;
  readonly at: (part?: string) => string;
  readonly visit: SignedInVisit;
}) => {
  const current = currentWebhook(webhook);
  const form = webhookForm(forms.form, current);
  const now = visit.now.toISOString();
  const day = new Date(visit.now.getTime() - 86_400_000).toISOString();
  const range = forms.replay ?? filledWith({ from: fieldTime(day), to: fieldTime(now) });
  return (
    <section class="stack" aria-labelledby="webhook-settings">
      <h2 id="webhook-settings">Settings</h2>
      <form class="card stack" method="post" action={at("change")}>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} form={form} />
        <WebhookFields form={form} />
        <div class="actions">
          <button type="submit">Save</button>
        </div>
      </form>
      <details class="reveal" open={forms.replay !== undefined}>
        <summary>Send the events of a period again</summary>
        <form class="stack" method="post" action={at("replay")}>
          <Refused refusal={forms.replay?.refusal} />
          <IdempotencyField />
          <TextField form={range} name="from" label="From (UTC)" type="datetime-local" required />
          <TextField form={range} name="to" label="To (UTC)" type="datetime-local" required />
          <div class="actions">
            <button type="submit">Send again</button>
          </div>
        </form>
      </details>
      <details class="reveal">
        <summary>Replace the secret</summary>
        <form class="stack" method="post" action={at("rotate")}>
          <IdempotencyField />
          {webhook.oldSecretUntil !== null && (
            <p>
              The old secret works until <Timestamp at={webhook.oldSecretUntil} />.
            </p>
          )}
          <Select
            form={filledWith({ oldSecretHours: "24" })}
            name="oldSecretHours"
            label="The old secret also signs events"
            options={oldSecretTimes}
          />
          <div class="actions">
            <button type="submit">Create a new secret</button>
          </div>
        </form>
      </details>
      {webhook.disabledAt === null ? (
        <Confirmation offer="Switch off" action={at("off")} button="Switch off">
          Events that still wait are not sent.
        </Confirmation>
      ) : (
        <form method="post" action={at("on")}>
          <IdempotencyField />
          <button type="submit">Switch on</button>
        </form>
      )}
      <Confirmation offer="Delete" action={at("delete")} button="Delete the webhook" danger>
        The webhook is deleted with its log.
      </Confirmation>
    </section>
  );
};

const oldSecretTimes = [
  ["0", "No longer"],
  ["1", "For an hour"],
  ["24", "For a day"],
  ["168", "For a week"],
] as const;

const listPage = definePage({ at: (links) => links.webhooks(":appId"), needs: "owner", show: showWebhooks });

const webhookPage = definePage({
  at: (links) => links.webhook(":appId", ":webhookId"),
  needs: "owner",
  show: showWebhook,
});

export const definitions: Definitions = [
  listPage,
  webhookPage,
  defineForm({
    at: (links) => links.webhooks(":appId"),
    page: listPage,
    act: createWebhook,
    done: {},
    word: "createWebhook",
    notDone: "The webhook was not created.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "change"),
    page: webhookPage,
    act: changeWebhook,
    done: changed,
    word: "changeWebhook",
    notDone: "The webhook was not changed.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "on"),
    page: webhookPage,
    act: switchTo(true),
    done: { "webhook-on": "The webhook is on.", "webhook-off": "The webhook is off." },
    word: "switchWebhookOn",
    notDone: "The webhook was not switched on.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "off"),
    page: webhookPage,
    act: switchTo(false),
    done: { "webhook-on": "The webhook is on.", "webhook-off": "The webhook is off." },
    word: "switchWebhookOff",
    notDone: "The webhook was not switched off.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "delete"),
    page: webhookPage,
    act: deleteWebhook,
    done: { "webhook-deleted": "The webhook is deleted." },
    word: "deleteWebhook",
    notDone: "The webhook was not deleted.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "rotate"),
    page: webhookPage,
    act: rotateSecret,
    done: {},
    word: "rotateSecret",
    notDone: "The secret was not replaced.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "test"),
    page: webhookPage,
    act: testWebhook,
    done: { "webhook-tested": "The test event is being sent. Reload the page to see the answer." },
    word: "testWebhook",
    notDone: "No test event was sent.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "deliveries/:deliveryId/resend"),
    page: webhookPage,
    act: resendDelivery,
    done: { "webhook-resent": "The event is being sent again." },
    word: "resendDelivery",
    notDone: "The event was not sent again.",
  }),
  defineForm({
    at: (links) => links.webhook(":appId", ":webhookId", "replay"),
    page: webhookPage,
    act: replayEvents,
    done: { "webhook-replayed": "The events of that period are being sent again." },
    word: "replayEvents",
    notDone: "The events were not sent again.",
  }),
];
