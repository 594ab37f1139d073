import type { ComponentChildren } from "preact";
import type { App } from "../../src/contract/apps.ts";
import type { Role } from "../../src/contract/endpoint.ts";
import { visibleLine } from "../../src/words/visible.ts";
import { type Asset, assets } from "./assets.ts";
import { IdempotencyField, versionOf } from "./forms.tsx";
import type { Links } from "./links.ts";
import { decisionsIn, type Navigation, requestsIn, sumOf, type Tab } from "./navigation.ts";
import { Avatar, counted, DoneNotice, keyed, Line, PeopleHere, RoleHere, shownCount } from "./parts.tsx";

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
  /** Whether the page is narrow. Pages with forms and text use it, because long lines are hard to read. */
  readonly narrow?: boolean;
  /** Whether the page is as wide as the window. */
  readonly wide?: boolean;
  /**
   * The address of the page. Needed only if the page can be the answer to a form, because the answer has the address of
   * the form.
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

/**
 * Returns the title of the page. The title begins with the number of unread threads, so that the browser's tab shows
 * this number. The inbox of an app shows the number for this app. The page of decisions shows the number for all apps.
 */
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

/**
 * A number in the bar, which a script updates. The element also exists for 0, so that the script can show a number
 * later.
 */
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

/** The link to the search. A script opens the search over the page instead. Ctrl+K does the same. */
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
   * The address of the page. Needed only if the page can be the answer to a form, because the answer has the address of
   * the form.
   */
  readonly address?: string | undefined;
  /** The e-mail address of the signed-in person. Scripts show only the drafts of this person. */
  readonly person?: string;
  readonly events?: Navigation["events"];
  /** Whether shortcuts with single keys are turned on. */
  readonly hasKeys?: boolean;
  /** The path with which the API's addresses begin. Needed only on a page whose scripts call the API. */
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
