import { ApiError } from "../../../src/contract/errors.ts";
import {
  type AppNotices,
  type NoticeBrowser,
  type NoticeKind,
  type NoticeWay,
  notices,
  type OwnNotices,
} from "../../../src/contract/notices.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  type Filled,
  filledAgain,
  filledWith,
  IdempotencyField,
  Select,
  TextField,
} from "../../console/forms.tsx";
import { ConsolePage, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { changed, type NotDone } from "../../console/notices.ts";
import { Empty, Line, Notice, Refused } from "../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago, Timestamp, timeZones } from "../../console/times.tsx";

/** The label of each kind of notice, and a hint. */
const kindTexts: Readonly<Record<NoticeKind, readonly [label: string, hint?: string]>> = {
  report: ["A new report arrives", "Also when an answer arrives in a thread without an assignee."],
  answer: ["A sender answers you", "In a thread that is assigned to you."],
  assigned: ["A thread is assigned to you"],
  proposal: [
    "An agent proposes a plan",
    "The proposal waits for a decision. It is always posted in the chat of the app.",
  ],
  approval: ["Your approval expires", "No agent began the work in time."],
  work: ["Work that you approved needs you", "The work failed, or its worker has not reported for an hour."],
  slot: ["A tester requests a slot"],
  testers: ["A test has too few testers", "A slot is free while the test runs."],
  storm: ["A failure is reported very often"],
  delivery: ["Messages cannot be delivered", "A webhook or the chat does not answer."],
};

const wayTexts: Readonly<Record<NoticeWay, readonly [heading: string, words: string]>> = {
  mail: ["Mail", "by mail"],
  daily: ["Daily mail", "in the daily mail"],
  chat: ["Chat", "in the chat of the app"],
  browser: ["Browser", "in your browsers"],
};

// A newer server may have more kinds and ways of notices. The page shows their codes instead of labels.
const textOfKind = (kind: string): readonly [label: string, hint?: string] =>
  new Map<string, readonly [label: string, hint?: string]>(Object.entries(kindTexts)).get(kind) ?? [kind];
const textOfWay = (way: string): readonly [heading: string, words: string] =>
  new Map<string, readonly [heading: string, words: string]>(Object.entries(wayTexts)).get(way) ?? [way, way];

/** Saves the person's notices about one app. A kind with unchanged checkboxes keeps its default. */
function changeNotices(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const appId = param("appId");
  return reshowForm(
    async () => {
      const app = (await ask(notices.read)).apps.find((one) => one.appId === appId);
      const kinds = Object.fromEntries(
        (app?.kinds ?? []).flatMap(({ kind, ways, offered, byDefault }) => {
          const ticked = offered.filter((way) => fields.has(`${kind}.${way}`));
          return byDefault && ticked.join() === ways.join() ? [] : [[kind, ticked]];
        }),
      );
      const stormPerHour = Number(fields.text("stormPerHour"));
      const body = { apps: [{ appId, kinds, ...(fields.has("stormPerHour") ? { stormPerHour } : {}) }] };
      await ask(notices.change, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.notices(appId), "changed");
    },
    (refusal) => showNotices(visit, { appId, form: filledAgain(fields, atFields(refusal)) }),
  );
}

function changeHours(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const [from, to] = [fields.text("from"), fields.text("to")];
      const quietHours = from === "" && to === "" ? null : { from, to };
      const body = { timezone: fields.text("timezone"), quietHours };
      await ask(notices.change, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.notices(), "changed");
    },
    (refusal) => showNotices(visit, { form: filledAgain(fields, atFields(refusal)) }),
  );
}

/** Turns on notices in a browser. A script has filled in the form with data from the browser's push service. */
function turnOn(visit: SignedInVisit): Promise<Reply<"browser-on">> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const replaces = fields.text("replaces");
      const body = {
        ...{ endpoint: fields.text("endpoint"), p256dh: fields.text("p256dh"), auth: fields.text("auth") },
        ...(replaces === "" ? {} : { replaces }),
      };
      await ask(notices.addBrowser, { body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.notices(), "browser-on");
    },
    (refusal) => showNotices(visit, { browser: inWords(refusal), form: filledAgain(fields, refusal) }),
  );
}

/** Moves the fault into the message, because the form has no visible field for the fault. */
const inWords = (refusal: ApiError): ApiError => {
  const [fault] = refusal.details.issues ?? [];
  if (fault === undefined) return refusal;
  const part =
    fault.path === "endpoint" || fault.path === "replaces"
      ? "the address of the push service"
      : "the key in the answer";
  const message = `The server cannot use the answer of this browser: ${part} ${fault.message}.`;
  return new ApiError(refusal.code, { message });
};

async function removeBrowser({
  ask,
  fields,
  links,
  param,
}: SignedInVisit): Promise<Reply<"browser-removed">> {
  const params = { browserId: param("browserId") };
  await ask(notices.removeBrowser, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.notices(), "browser-removed");
}

/**
 * Returns the error with its paths replaced by names of form fields. For example, `quietHours.to` becomes `to`.
 */
const atFields = (refusal: ApiError): ApiError =>
  new ApiError(refusal.code, {
    issues: (refusal.details.issues ?? []).map(({ path, message }) => ({
      path: path.split(".").at(-1) ?? path,
      message,
    })),
  });

/** A refused form: the form of an app, of a browser, or of the quiet hours. */
interface RefusedForm {
  readonly appId?: string;
  readonly browser?: ApiError;
  readonly form: Filled;
}

async function showNotices(visit: SignedInVisit, refused?: RefusedForm): Promise<Reply> {
  const { ask, query, links, now } = visit;
  const [navigation, own, browsers] = await Promise.all([
    ...([navigationOf(visit), ask(notices.read), ask(notices.browsers)] as const),
  ]);
  const refusedHours = refused?.appId === undefined && refused?.browser === undefined;
  const wanted = refused?.appId ?? query("app");
  const app = own.apps.find(({ appId }) => appId === wanted) ?? own.apps[0];
  return show(
    <ConsolePage navigation={navigation} title="Your notices" narrow>
      <div class="head">
        <div>
          <h1>Your notices</h1>
          <p>
            Innkeep sends you these notices while you are away. Each notice links to the page where you can
            act.
          </p>
        </div>
      </div>
      <div class="stack wide">
        <NoMail because={own.noMail} links={links} />
        {app === undefined ? (
          <Empty title="No apps yet">
            <p>As soon as you are a member of an app, you choose here which notices you get about it.</p>
          </Empty>
        ) : (
          <section class="stack" aria-labelledby="of-app">
            <h2 id="of-app">
              About <Line text={app.name} />
            </h2>
            {own.apps.length > 1 && <AppPills apps={own.apps} chosen={app.appId} links={links} />}
            <NoticesForm
              app={app}
              links={links}
              refused={refused?.appId === undefined ? undefined : refused.form}
            />
          </section>
        )}
        <Browsers
          byMail={own.noMail === null}
          serverKey={browsers.key}
          items={browsers.items}
          links={links}
          now={now}
          refusal={refused?.browser}
        />
        <HoursForm own={own} links={links} refused={refusedHours ? refused?.form : undefined} />
      </div>
    </ConsolePage>,
    refused?.form.refusal?.status,
  );
}

const NoMail = ({ because, links }: { readonly because: string | null; readonly links: Links }) => {
  if (because === null) return null;
  return (
    <Notice>
      {because === "server_sends_none" ? (
        "This server sends no mail. Until its operator sets up mail, only browsers and the chat notify you."
      ) : (
        <>
          Your address is not verified, so you get no mail.{" "}
          <a href={links.recover}>Set a new password by mail</a> to verify it.
        </>
      )}
    </Notice>
  );
};

const AppPills = ({
  apps,
  chosen,
  links,
}: {
  readonly apps: readonly AppNotices[];
  readonly chosen: string;
  readonly links: Links;
}) => (
  <nav class="pills" aria-label="Apps">
    {apps.map(({ appId, name }) => (
      <a key={appId} href={links.notices(appId)} aria-current={appId === chosen ? "true" : undefined}>
        <Line text={name} />
      </a>
    ))}
  </nav>
);

/** Shows the notices of a person about an app: a checkbox for each kind of notice and each way. */
const NoticesForm = ({
  app,
  links,
  refused,
}: {
  readonly app: AppNotices;
  readonly links: Links;
  readonly refused: Filled | undefined;
}) => {
  const ways = [...new Set(app.kinds.flatMap(({ offered }) => offered))];
  const storms = app.kinds.some(({ kind }) => kind === "storm");
  const isTicked = (kind: string, way: string, ticked: readonly string[]) =>
    refused === undefined ? ticked.includes(way) : refused.value(`${kind}.${way}`) !== "";
  return (
    <form class="stack" method="post" action={links.noticesOf(app.appId)}>
      <Refused refusal={refused?.refusal} />
      <IdempotencyField />
      <table class="choices">
        <thead>
          <tr>
            <th scope="col">Notify me when</th>
            {ways.map((way) => (
              <th key={way} scope="col">
                {textOfWay(way)[0]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {app.kinds.map(({ kind, ways: ticked, offered }) => (
            <tr key={kind}>
              <th scope="row">
                {textOfKind(kind)[0]}
                <Hint text={textOfKind(kind)[1]} />
              </th>
              {ways.map((way) => (
                <td key={way}>
                  {offered.includes(way) && (
                    <label>
                      <span class="unseen">
                        {textOfKind(kind)[0]}, {textOfWay(way)[1]}
                      </span>
                      <input
                        type="checkbox"
                        name={`${kind}.${way}`}
                        value="on"
                        checked={isTicked(kind, way, ticked)}
                      />
                    </label>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {storms && (
        <TextField
          form={refused ?? filledWith({ stormPerHour: String(app.stormPerHour) })}
          name="stormPerHour"
          label="Notify me if a failure repeats at least this often per hour"
          type="number"
          inputMode="numeric"
          hint="For a failure that is reported very often. You get at most one notice a day about each failure."
          required
        />
      )}
      <div class="actions">
        <button class="primary" type="submit">
          Save
        </button>
      </div>
    </form>
  );
};

const Hint = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : <span class="hint">{text}</span>;

/** Shows the browsers of a person that show notices. Only a script can ask the browser for permission. (rule N10) */
const Browsers = ({
  serverKey,
  byMail,
  items,
  links,
  now,
  refusal,
}: {
  readonly serverKey: string;
  /** Whether the person can get notices by mail. */
  readonly byMail: boolean;
  readonly items: readonly NoticeBrowser[];
  readonly links: Links;
  readonly now: Date;
  readonly refusal: ApiError | undefined;
}) => (
  <section class="stack" aria-labelledby="browsers">
    <div>
      <h2 id="browsers">In your browsers</h2>
      <p class="muted small">
        A browser shows a notice immediately, even if no page of Innkeep is open. You must be signed in there.
      </p>
    </div>
    <Refused refusal={refusal} />
    <form
      class="stack"
      method="post"
      action={links.noticeBrowsers}
      data-push={serverKey}
      data-worker={links.pushWorker}
      data-on={items.some(({ current }) => current) || undefined}
    >
      <IdempotencyField />
      {["endpoint", "p256dh", "auth"].map((name) => (
        <input key={name} type="hidden" name={name} />
      ))}
      <noscript>
        <p>
          Notices in a browser need scripts, but this browser does not run the scripts of this page.
          {byMail && ` ${sameByMail}`}
        </p>
      </noscript>
      {pushFaults(byMail).map(([name, words]) => (
        <p key={name} data-push-fault={name} hidden>
          {words}
        </p>
      ))}
      <div class="actions">
        <button type="button" data-subscribes hidden>
          Turn on in this browser
        </button>
      </div>
    </form>
    {items.length > 0 && (
      <ul class="list">
        <InTurns>
          {items.map((browser) => (
            <BrowserLine key={browser.id} browser={browser} links={links} now={now} />
          ))}
        </InTurns>
      </ul>
    )}
  </section>
);

const sameByMail = "You get the same notices by mail.";

/** The texts that say why a browser shows no notices. The script shows one of these texts. */
const pushFaults = (byMail: boolean): readonly (readonly [name: string, words: string])[] => [
  [
    "insecure",
    `This page does not use https, so browsers show no notices from it.${byMail ? ` ${sameByMail}` : ""}`,
  ],
  ["missing", `This browser cannot show notices.${byMail ? ` ${sameByMail}` : ""}`],
  [
    "dismissed",
    "The browser asked whether notices are allowed, and got no answer. Turn notices on again, and allow them.",
  ],
  [
    "blocked",
    "This browser blocks notices from this site. Allow them in its settings, then load this page again.",
  ],
  ["failed", "The browser did not reach its push service. Try it again later."],
];

const BrowserLine = ({
  browser: { id, browser, createdAt, lastNoticeAt, expiresAt, current },
  links,
  now,
}: {
  readonly browser: NoticeBrowser;
  readonly links: Links;
  readonly now: Date;
}) => (
  <li>
    <div class="row spread">
      <b>{browser ?? "An unknown browser"}</b>
      <form method="post" action={links.removeNoticeBrowser(id)} data-push-off={current || undefined}>
        <IdempotencyField />
        <button class="danger small" type="submit">
          Turn off
        </button>
      </form>
    </div>
    <p class="under">
      {current && <span>this browser</span>}
      <span>
        on since <Ago at={createdAt} now={now} />
      </span>
      <span>
        {lastNoticeAt === null ? (
          "no notice yet"
        ) : (
          <>
            last notice <Ago at={lastNoticeAt} now={now} />
          </>
        )}
      </span>
      <span>
        until <Timestamp at={expiresAt} />
      </span>
    </p>
  </li>
);

const HoursForm = ({
  own: { timezone, quietHours },
  links,
  refused,
}: {
  readonly own: OwnNotices;
  readonly links: Links;
  readonly refused: Filled | undefined;
}) => {
  const values = { timezone, from: quietHours?.from ?? "", to: quietHours?.to ?? "" };
  const form = refused ?? filledWith(values);
  const zones = timeZones.includes(timezone) ? timeZones : [timezone, ...timeZones];
  return (
    <section class="stack" aria-labelledby="hours">
      <div>
        <h2 id="hours">When</h2>
        <p class="muted small">
          A mail collects what happens within 15 minutes. The daily mail comes at 9:00. In quiet hours nothing
          is sent. When they end, you get the notices of these hours.
        </p>
      </div>
      <form class="card stack" method="post" action={links.quietHours}>
        <Refused refusal={refused?.refusal} />
        <IdempotencyField />
        <Select
          form={form}
          name="timezone"
          label="Time zone"
          options={zones.map((zone) => [zone, zone.replaceAll("_", " ")])}
        />
        <div class="row">
          <TextField form={form} name="from" part="quiet" label="Quiet from" type="time" />
          <TextField form={form} name="to" part="quiet" label="Quiet until" type="time" />
        </div>
        <p class="hint">Leave both empty if you want no quiet hours.</p>
        <div class="actions">
          <button type="submit">Save</button>
        </div>
      </form>
    </section>
  );
};

const noticesPage = definePage({
  at: (links) => links.notices(),
  needs: "account",
  show: (visit) => showNotices(visit),
});

const notChanged: NotDone = { word: "changeNotices", notDone: "Your notices were not changed." };

export const definitions: Definitions = [
  noticesPage,
  defineForm({
    at: (links) => links.noticesOf(":appId"),
    page: noticesPage,
    act: changeNotices,
    done: changed,
    ...notChanged,
  }),
  defineForm({
    at: (links) => links.quietHours,
    page: noticesPage,
    act: changeHours,
    done: changed,
    ...notChanged,
  }),
  defineForm({
    at: (links) => links.noticeBrowsers,
    page: noticesPage,
    act: turnOn,
    done: { "browser-on": "This browser shows your notices from now on." },
    word: "addBrowser",
    notDone: "Notices were not turned on in this browser.",
  }),
  defineForm({
    at: (links) => links.removeNoticeBrowser(":browserId"),
    page: noticesPage,
    act: removeBrowser,
    done: { "browser-removed": "That browser no longer shows your notices." },
    word: "removeBrowser",
    notDone: "Notices were not turned off in that browser.",
  }),
];
