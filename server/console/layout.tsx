import type { Context } from "koa";
import type { ComponentChildren } from "preact";
import type { Preferences } from "../../src/contract/account.ts";
import { type App, apps } from "../../src/contract/apps.ts";
import type { Role } from "../../src/contract/endpoint.ts";
import { suffices } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { live } from "../../src/contract/events.ts";
import { visibleLine } from "../../src/words/visible.ts";
import type { AnswerWithPage } from "../http/answers.ts";
import { pathOf, type SharedSteps } from "../http/pipeline.ts";
import type { Settings } from "../settings/settings.ts";
import { type Asset, assets } from "./assets.ts";
import type { SignedInVisit } from "./definitions.ts";
import {
  draftFieldOf,
  type Fields,
  fieldVersion,
  IdempotencyField,
  noFields,
  originalVersionName,
  versionOf,
} from "./forms.tsx";
import { type ConsolePath, consolePathOf, createLinks, type Links, pageOfForm, returnPath } from "./links.ts";
import type { NotDone, Notices } from "./notices.ts";
import type { AppCounts, TestBelow } from "./page-reads.ts";
import {
  Avatar,
  counted,
  DoneNotice,
  keyed,
  Line,
  type People,
  PeopleHere,
  RoleHere,
  refusalInWords,
  shownCount,
} from "./parts.tsx";
import { acceptsHtml, createRespond, goTo, type Reply, show } from "./respond.tsx";

/** A page of the console, with the bar at the top and the tabs of its app. */
export const ConsolePage = ({
  navigation,
  title,
  narrow = false,
  wide = false,
  address,
  children,
}: {
  readonly navigation: Navigation;
  readonly title: string;
  /** Whether the page is narrow. Pages with forms and text are narrow, because long lines are hard to read. */
  readonly narrow?: boolean;
  /** Whether the page is as wide as the window. */
  readonly wide?: boolean;
  /**
   * The address of the page. A page that answers a form needs it, because the browser shows the address of the
   * form.
   */
  readonly address?: string;
  readonly children: ComponentChildren;
}) => (
  <Document
    links={navigation.links}
    title={titleOf(navigation, title)}
    address={address}
    person={navigation.email}
    events={navigation.events}
    hasKeys={navigation.preferences.keys}
  >
    <PeopleHere.Provider value={navigation.people}>
      <header class="top">
        <div class="bar">
          <Brand links={navigation.links} />
          {navigation.apps.length > 0 && <AppMenu navigation={navigation} />}
          <div class="end">
            {navigation.apps.length > 0 && <SearchLink links={navigation.links} />}
            {navigation.apps.length > 0 && !navigation.app && <InboxLink navigation={navigation} />}
            <a
              href={navigation.links.home}
              aria-current={navigation.tab === "decisions" ? "page" : undefined}
              {...keyed("g d", "Go to the decisions", "Everywhere")}
            >
              Decisions
              <Waiting navigation={navigation} />
            </a>
            <AccountMenu navigation={navigation} />
          </div>
        </div>
        {navigation.app && <Tabs navigation={navigation} app={navigation.app} />}
      </header>
      <RoleHere.Provider value={navigation.app?.role ?? "owner"}>
        <main class={wide ? "wide-page" : narrow ? "middle narrow" : "middle"} id="main" tabIndex={-1}>
          <DoneNotice done={navigation.done} notices={navigation.notices} />
          {children}
        </main>
      </RoleHere.Provider>
    </PeopleHere.Provider>
  </Document>
);

/** Returns the title of the page. The title begins with the number of unread threads. */
function titleOf({ app, tab, counts }: Navigation, title: string): string {
  const here = app && tab === "inbox" ? (counts.get(app.id)?.unread ?? 0) : 0;
  const unread = tab === "decisions" ? sumOf(counts, "unread") : here;
  const named = app ? `${title} · ${app.name}` : title;
  return unread > 0 ? `(${shownCount(unread)}) ${named}` : named;
}

const Waiting = ({ navigation }: { readonly navigation: Navigation }) => {
  const waiting = sumOf(navigation.counts, "waiting");
  const asked = requestsIn(navigation);
  const below = navigation.testsBelow.length;
  const words = [
    ...(waiting > 0 ? [counted(waiting, "proposal waits", "proposals wait")] : []),
    ...testingWords(asked, below),
  ];
  return <Count id="count-decisions" count={decisionsIn(navigation)} words={words.join(", ")} />;
};

/** Describes what waits for a decision in closed testing: requests for slots, and tests with too few testers. */
const testingWords = (asked: number, below: number): string[] => [
  ...(asked > 0 ? [counted(asked, "slot request", "slot requests")] : []),
  ...(below > 0 ? [counted(below, "test with too few testers", "tests with too few testers")] : []),
];

/** A number in the bar. The element also exists for 0, so that a script can show a number later. */
const Count = ({
  id,
  count,
  words,
}: {
  readonly id: string;
  readonly count: number;
  readonly words: string;
}) => (
  <span id={id} class={count > 0 ? "count" : undefined} data-live={versionOf([count, words])}>
    {count > 0 && (
      <>
        <span aria-hidden="true">{shownCount(count)}</span>
        <span class="unseen">{words}</span>
      </>
    )}
  </span>
);

/**
 * The link to the search page. A script opens the search over the current page instead. Ctrl+K does the same.
 */
const SearchLink = ({ links }: { readonly links: Links }) => (
  <a
    class="search-link"
    href={links.search}
    title="Search (Ctrl+K)"
    data-search
    {...keyed("/", "Search", "Everywhere")}
  >
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" fill="none" stroke="currentColor">
      <path
        d="M13 13l4.5 4.5M14.5 8.75a5.75 5.75 0 1 1-11.5 0a5.75 5.75 0 0 1 11.5 0z"
        stroke-width="1.7"
        stroke-linecap="round"
      />
    </svg>
    <span class="unseen">Search</span>
  </a>
);

/** The link to the inbox of all apps. Pages of one app do not have this link. */
const InboxLink = ({ navigation: { links, tab, counts } }: { readonly navigation: Navigation }) => (
  <a
    href={links.allFeedback}
    aria-current={tab === "all" ? "page" : undefined}
    {...keyed("g i", "Go to the inbox", "Everywhere")}
  >
    Inbox
    <Count
      id="count-all"
      count={sumOf(counts, "unread")}
      words={`${shownCount(sumOf(counts, "unread"))} unread`}
    />
  </a>
);

const AppMenu = ({ navigation: { links, apps, app, tab, counts } }: { readonly navigation: Navigation }) => (
  <>
    <span class="slash" aria-hidden="true">
      /
    </span>
    <details class="menu">
      <summary>
        <span class="unseen">App:</span>
        <span class="name">{app ? <Line text={app.name} /> : "All apps"}</span>
      </summary>
      <nav class="panel" aria-label="Apps">
        {apps.length > 1 && (
          <a href={links.allFeedback} aria-current={tab === "all" ? "true" : undefined}>
            All apps
          </a>
        )}
        {apps.map(({ id, name }) => (
          <a key={id} href={links.inbox(id)} aria-current={id === app?.id ? "true" : undefined}>
            <Line text={name} /> <Count id={`count-of-${id}`} {...unreadOf(counts, id)} />
          </a>
        ))}
        <div class="apart">
          <a href={links.newApp}>New app</a>
        </div>
      </nav>
    </details>
  </>
);

const AccountMenu = ({
  navigation: { links, userId, email, people, docs },
}: {
  readonly navigation: Navigation;
}) => (
  <details class="menu right">
    <summary>
      <span class="unseen">{`Account ${email}`}</span>
      <Avatar userId={userId} email={email} />
    </summary>
    <nav class="panel" aria-label="Account">
      <p class="who">
        Signed in as <br />
        {people.has(email) && (
          <>
            <b>
              <Line text={people.get(email)?.name ?? ""} />
            </b>
            <br />
          </>
        )}
        <Line text={email} />
      </p>
      <a href={links.account}>Your account</a>
      <a href={links.notices()}>Notices</a>
      <a href={links.tokens}>Tokens</a>
      <a href={links.devices}>Devices</a>
      <a href={links.signInMethods}>Sign-in methods</a>
      <a href={links.people}>Erase a person</a>
      <a href={links.audit}>Audit log</a>
      <a href={links.drafts}>Unsent text</a>
      <a href={docs}>API</a>
      <button class="plain" type="button" data-shows-keys hidden>
        Keys
      </button>
      <form class="apart" method="post" action={links.signOut} data-signs-out>
        <IdempotencyField />
        <button class="plain" type="submit">
          Sign out
        </button>
      </form>
    </nav>
  </details>
);

function unreadOf(counts: Navigation["counts"], appId: string) {
  const count = counts.get(appId)?.unread ?? 0;
  return { count, words: `${shownCount(count)} unread` };
}

type AppTab = Exclude<Tab, "decisions" | "all">;

const tabs: readonly [AppTab, string][] = [
  ["inbox", "Inbox"],
  ["faqs", "FAQ"],
  ["changelog", "Release notes"],
  ["testing", "Testing"],
  ["numbers", "Numbers"],
  ["members", "Members"],
  ["settings", "Settings"],
];

const keysOfTabs: Partial<Record<AppTab, ReturnType<typeof keyed>>> = {
  inbox: keyed("g i", "Go to the inbox", "Everywhere"),
  faqs: keyed("g f", "Go to the FAQ", "Everywhere"),
  testing: keyed("g t", "Go to the tests", "Everywhere"),
  settings: keyed("g s", "Go to the settings", "Everywhere"),
};

/** Returns the tabs for a role. Only owners see the settings. */
const tabsFor = (role: Role) => tabs.filter(([name]) => name !== "settings" || role === "owner");

const Tabs = ({
  navigation: { links, tab, requests, counts, testsBelow },
  app: { id: appId, role },
}: {
  readonly navigation: Navigation;
  readonly app: App;
}) => {
  const addresses: Record<AppTab, string> = {
    inbox: links.inbox(appId),
    faqs: links.faqs(appId),
    changelog: links.changelog(appId),
    testing: links.testing(appId),
    numbers: links.numbers(appId),
    members: links.members(appId),
    settings: links.app(appId),
  };
  const asked = requests.get(appId) ?? 0;
  const below = testsBelow.filter((test) => test.appId === appId).length;
  return (
    <nav class="tabs" aria-label="This app">
      <ul>
        {tabsFor(role).map(([name, label]) => (
          <li key={name}>
            <a
              href={addresses[name]}
              aria-current={tab === name ? "page" : undefined}
              {...(keysOfTabs[name] ?? {})}
            >
              {label}
              {name === "testing" && (
                <Count
                  id="count-testing"
                  count={asked + below}
                  words={testingWords(asked, below).join(", ")}
                />
              )}
              {name === "inbox" && <Count id="count-inbox" {...unreadOf(counts, appId)} />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

/** A page without navigation, which works without a console session. */
export const BarePage = ({
  links,
  title,
  children,
}: {
  readonly links: Links;
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <Document links={links} title={title}>
    <main class="alone" id="main" tabIndex={-1}>
      <Brand links={links} />
      {children}
    </main>
  </Document>
);

interface DocumentProps {
  readonly links: Links;
  readonly title: string;
  /**
   * The address of the page. A page that answers a form needs it, because the browser shows the address of the
   * form.
   */
  readonly address?: string | undefined;
  /** The e-mail address of the signed-in person. Scripts show only the drafts of this person. */
  readonly person?: string;
  readonly events?: Navigation["events"];
  /** Whether shortcuts with single keys are turned on. */
  readonly hasKeys?: boolean;
  /** The beginning of the paths of the API. Needed only on a page whose scripts call the API. */
  readonly base?: string;
  /** The scripts of this page, in addition to the script of every page. */
  readonly scripts?: readonly Asset[];
  readonly children: ComponentChildren;
}

/** The HTML document of every page. */
export const Document = ({
  links,
  title,
  address,
  person,
  events,
  hasKeys = false,
  base,
  scripts = [],
  children,
}: DocumentProps) => (
  <html
    lang="en"
    data-person={person && versionOf(person)}
    data-drafts={person && links.drafts}
    data-address={address}
    data-base={base}
    data-events={events?.at}
    data-since={events?.since}
    data-keys={hasKeys || undefined}
  >
    <head>
      <meta charset="utf-8" />
      <title>{`${visibleLine(title)} · Innkeep`}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" type="image/svg+xml" href={links.asset(assets.icon.name)} />
      <link rel="stylesheet" href={links.asset(assets.style.name)} />
      <script src={links.asset(assets.script.name)} defer />
      {scripts.map(({ name }) => (
        <script key={name} src={links.asset(name)} defer />
      ))}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {children}
      <div class="unseen" id="announced" aria-live="polite" />
    </body>
  </html>
);

export const Brand = ({ links }: { readonly links: Links }) => (
  <a class="brand" href={links.home} aria-label="Innkeep, home">
    <img src={links.asset(assets.icon.name)} alt="" width="28" height="28" />
    <span class="word">Innkeep</span>
  </a>
);

/** The tabs. `decisions` and `all` (the inbox of all apps) cover all apps; each other tab belongs to one app. */
type Tab =
  | "decisions"
  | "all"
  | "inbox"
  | "faqs"
  | "changelog"
  | "testing"
  | "numbers"
  | "members"
  | "settings";

/** The data for the bar and the tabs at the top of a page. */
export interface Navigation {
  readonly links: Links;
  readonly email: string;
  readonly userId: string;
  /** The people whose names the page may show. */
  readonly people: People;
  /** The address of the page about the API. */
  readonly docs: string;
  /** `at` is the address of the events about changes. `since` is the time at which the page was created. */
  readonly events: { readonly at: string; readonly since: string };
  /** The console preferences of this person. */
  readonly preferences: Preferences;
  readonly apps: readonly App[];
  /** The numbers of unread threads and of waiting proposals. The keys are the ids of the apps. */
  readonly counts: ReadonlyMap<string, AppCounts>;
  /** The number of testers who request a slot. The keys are the ids of the apps. */
  readonly requests: ReadonlyMap<string, number>;
  /** The running tests with too few testers, in all apps. */
  readonly testsBelow: readonly TestBelow[];
  /** The value of `done` in the page's query. It names the result of the last sent form. */
  readonly done: string;
  readonly notices: Notices;
  readonly app?: App | undefined;
  readonly tab?: Tab | undefined;
}

/** Returns how many unread threads or waiting proposals there are in all apps together. */
export const sumOf = (counts: Navigation["counts"], of: keyof AppCounts): number =>
  [...counts.values()].reduce((sum, app) => sum + app[of], 0);

/** Returns how many testers request a slot in all apps together. */
export const requestsIn = ({ requests }: Pick<Navigation, "requests">): number =>
  [...requests.values()].reduce((sum, count) => sum + count, 0);

/** Returns how many proposals, slot requests and tests with too few testers wait for the person in all apps together. */
export const decisionsIn = (navigation: Pick<Navigation, "counts" | "requests" | "testsBelow">): number =>
  sumOf(navigation.counts, "waiting") + requestsIn(navigation) + navigation.testsBelow.length;

export async function navigationOf(visit: SignedInVisit): Promise<Navigation> {
  const { links, notices, caller, reads, settings } = visit;
  const [{ items }, preferred, counts, requests, testsBelow, people] = await Promise.all([
    visit.ask(apps.list),
    reads.preferences(),
    reads.counts(),
    reads.countSlotRequests(),
    reads.testsBelow(),
    reads.people(),
  ]);
  return {
    links,
    notices,
    email: caller.email,
    userId: caller.userId,
    people,
    docs: `${settings.baseUrl}/api/v1/docs`,
    events: {
      at: new URL(settings.baseUrl).pathname.replace(/\/$/, "") + live.follow.path,
      since: visit.now.toISOString(),
    },
    preferences: preferred,
    apps: items,
    counts,
    requests,
    testsBelow,
    done: visit.query("done"),
  };
}

const refusals: Readonly<Record<Role, string>> = {
  owner: "Only owners of this app can open this page.",
  maintainer: "Your role in this app is viewer. Ask an owner for the role maintainer.",
  viewer: "Only members of this app can open this page.",
};

export interface AppNavigation extends Navigation {
  readonly app: App;
}

/**
 * Returns the navigation of an app's page. Throws `not_found` for a non-member, and `forbidden` if the role is
 * too low.
 */
export async function appNavigationOf(
  visit: SignedInVisit,
  tab: Tab,
  appId = visit.param("appId"),
): Promise<AppNavigation> {
  const { needs } = visit;
  const navigation = await navigationOf(visit);
  const app = navigation.apps.find(({ id }) => id === appId.toLowerCase());
  if (!app) throw new ApiError("not_found");
  if (needs !== "account" && !suffices(app.role, needs))
    throw new ApiError("forbidden", { message: refusals[needs] });
  return { ...navigation, app, tab };
}

/** Returns the reply to a browser whose request failed: an error page or a redirect. */
export type ShowError = (ctx: Context, error: ApiError, links: Links) => Reply;

interface PageDeps {
  readonly settings: Pick<Settings, "baseUrl" | "consoleUrl">;
  readonly steps: Pick<SharedSteps, "holdAnswer">;
}

/**
 * Creates the function that answers failed requests. Browsers get the result of `show`, other clients get the error as
 * JSON.
 */
export function answerWithErrorPage({ settings, steps }: PageDeps, show: ShowError): AnswerWithPage {
  const links = createLinks(consolePathOf(settings).href);
  const respond = createRespond(settings, steps);
  return async (ctx, error) => {
    if (!acceptsHtml(ctx)) return false;
    await respond(ctx, show(ctx, error, links));
    return true;
  };
}

/**
 * Answers failed requests below the console's path. Browsers get an error page or the sign-in page. Other
 * clients get JSON.
 */
export function createErrorPages({ settings, steps }: PageDeps): AnswerWithPage {
  const consolePath = consolePathOf(settings);
  const { mountedAt } = consolePath;
  const isPage = (path: string) =>
    path === mountedAt || (path.startsWith(`${mountedAt}/`) && !/^\/(api|uploads)\//.test(path));

  const answer = answerWithErrorPage({ settings, steps }, (ctx, error, links) =>
    error.code === "sign_in_required"
      ? goTo(`${links.signIn}?${new URLSearchParams({ to: wantedPage(ctx, consolePath) })}`)
      : showErrorPage(links, asSeen(ctx, error), {
          requestId: String(ctx.state.requestId),
          typed: unsavedTextsIn(formOf(ctx.req)),
          form: notDoneOf(ctx.req),
          from: ctx.method === "POST" ? returnPath(pageOfForm(ctx), settings.consoleUrl, "") : "",
        }),
  );
  return async (ctx, error) => isPage(pathOf(ctx) ?? "") && answer(ctx, error);
}

/**
 * Returns the error to show. A wrong id or cursor becomes `not_found`. The error of a wrong filter stays
 * `bad_request`.
 */
function asSeen(ctx: Context, error: ApiError): ApiError {
  if (ctx.method !== "GET" || error.code !== "bad_request") return error;
  return isOfFilter(ctx, error)
    ? new ApiError(error.code, { ...error.details, message: error.message }, { cause: error })
    : new ApiError("not_found", {}, { cause: error });
}

function isOfFilter({ querystring }: Context, { details }: ApiError): boolean {
  const query = new URLSearchParams(querystring);
  query.delete("cursor");
  return details.issues?.some(({ path }) => query.has(path)) ?? false;
}

/** Returns the page to open after the sign-in: the requested page, or the page whose form was sent. */
const wantedPage = (ctx: Context, { href, mountedAt }: ConsolePath): string =>
  ctx.method === "GET" ? href + (ctx.req.url ?? "").slice(mountedAt.length) : pageOfForm(ctx);

/** The data that the error page shows about a failed request. */
interface FailedRequest {
  readonly requestId: string;
  /** The unsaved texts in the form of the request. */
  readonly typed: readonly UnsavedText[];
  /** The notice about a form whose action was not done. It is set if the request sent a form of the console. */
  readonly form?: NotDone | undefined;
  /** The page of the form; empty if it is unknown. */
  readonly from?: string;
}

/** Returns the error page as a reply with the status of the error. */
export const showErrorPage = (
  links: Links,
  error: ApiError,
  { requestId, typed, form, from = "" }: FailedRequest,
): Reply => {
  const { title, text } = wordsOf(error);
  return show(
    <BarePage links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        <p>
          {/* After an internal error, the action of the form may still have been done. */}
          {form && error.status !== 500 && <b>{form.notDone} </b>}
          {text}
        </p>
        {error.status === 500 && (
          <p class="muted small">
            Request <code>{requestId}</code>
          </p>
        )}
        {typed.length > 0 && <TypedText typed={typed} />}
        <div class="actions">
          {from !== "" && (
            <a class="button" href={from}>
              Back to the page
            </a>
          )}
          <a class="button" href={links.home}>
            Go to the console
          </a>
        </div>
      </div>
    </BarePage>,
    error.status,
  );
};

/** Shows the typed text, so that the person can copy it. */
const TypedText = ({ typed }: Pick<FailedRequest, "typed">) => (
  <section class="stack" aria-labelledby="typed">
    <h2 id="typed">Your typed text</h2>
    <p class="muted small">It was not saved. Copy it before you leave this page.</p>
    {typed.map(({ label, text }) => (
      <label class="field" key={`${label} ${text}`}>
        <span>{label}</span>
        <textarea class="short" readOnly>
          {`\n${text}`}
        </textarea>
      </label>
    ))}
  </section>
);

function wordsOf(error: ApiError) {
  switch (error.code) {
    case "not_found":
      return {
        title: "Nothing here",
        text: "The address is wrong, the page was deleted, or it belongs to another account.",
      };
    case "method_not_allowed":
      return { title: "Not a page", text: "This address only receives forms. There is no page here." };
    case "forbidden":
      return { title: "Not allowed", text: error.message };
    case "busy":
      return { title: "One moment", text: error.message };
    case "internal":
      return {
        title: "Something went wrong",
        text: "The server had an error. If you report it, include the request id below.",
      };
    default:
      return {
        title: "This did not work",
        text: refusalInWords(error, (field) => draftFieldOf(field)?.label),
      };
  }
}

/** A text that was typed in a form, and the label of its field. */
interface UnsavedText {
  readonly label: string;
  readonly text: string;
}

/** Returns the texts that the person changed in a form. Passwords and secrets are never returned. (rule O18) */
const unsavedTextsIn = (fields: Fields): UnsavedText[] =>
  fields.entries().flatMap(([name, text]) => {
    const label = draftFieldOf(name)?.label;
    if (label === undefined || text.trim() === "") return [];
    return fields.text(originalVersionName(name)) === fieldVersion(text) ? [] : [{ label, text }];
  });

const sent = new WeakMap<object, Fields>();

/** Stores the fields of a request's form, for the error page of this request. */
export const storeForm = (request: object, fields: Fields): void => void sent.set(request, fields);

/** Returns the stored fields of a request's form; no fields if the form was not read. */
const formOf = (request: object): Fields => sent.get(request) ?? noFields;

const notDone = new WeakMap<object, NotDone>();

/** Stores a notice about a form whose action was not done. The error page of `request` shows the notice. */
export const storeNotDone = (request: object, form: NotDone): void => void notDone.set(request, form);

/** Returns the stored notice of a request's form; undefined if it is not a form of the console. */
const notDoneOf = (request: object): NotDone | undefined => notDone.get(request);
