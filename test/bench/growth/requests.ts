/** A read of the API or a page of the console. */
export interface Read {
  readonly name: string;
  readonly path: string;
  /** `agent`: a token of an agent; `person`: a session of the console. */
  readonly by: "agent" | "person";
  /** A search, which has a goal of its own. */
  readonly isSearch?: boolean;
  /** Reads the second page of the list: the path gets the cursor of the first one. */
  readonly second?: boolean;
}

const ids = { app: idOf("1", 1), smallApp: idOf("1", 2) };

/** An id as the SQL makes it. */
function idOf(kind: string, n: number): string {
  return `${kind.padStart(8, "0")}-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

const agentList = (query: string) => ({ by: "agent", path: `/api/v1/agent/feedback?${query}` }) as const;
const inbox = (query: string, app = ids.app) =>
  ({ by: "person", path: `/api/v1/console/apps/${app}/feedback?${query}` }) as const;
const page = (path: string) => ({ by: "person", path: `/console${path}` }) as const;
const api = (path: string) => ({ by: "person", path: `/api/v1/console${path}` }) as const;

const searches: readonly (readonly [name: string, text: string])[] = [
  ["a common word", "settings"],
  ["a beginning of a common word", "settin"],
  ["a beginning of 20,000 words", "innk"],
  ["a long beginning of 20,000 words", "innkeeping"],
  ["a beginning of few words", "innkeeping1999"],
  ["a rare word", "zanzibar"],
  ["a word of no thread", "giraffe"],
  ["two common words", "settings account"],
  ["a common and a rare word", "settings zanzibar"],
  ["a common word and a beginning", "settings innkeeping1"],
  ["three words", "settings page saved"],
  ["a short word", "it"],
  ["a number", "17"],
  ["Japanese", "設定"],
  ["an address", "person77@example.org"],
];

const searchReads: readonly Read[] = searches.flatMap(([name, text]) => {
  const q = `q=${encodeURIComponent(text)}`;
  return [
    { name: `search, ${name}`, isSearch: true, ...inbox(q) },
    { name: `search in a small app, ${name}`, isSearch: true, ...inbox(q, ids.smallApp) },
    { name: `an agent's search, ${name}`, isSearch: true, ...agentList(q) },
    {
      name: `an agent's search for open questions, ${name}`,
      isSearch: true,
      ...agentList(`${q}&status=open&type=question`),
    },
  ];
});

const filters: readonly string[] = [
  "status=open",
  "status=in_progress",
  "type=general",
  "type=bug",
  "status=in_progress&type=general",
  "status=open&type=bug",
];

const agentFilters: readonly string[] = [
  "limit=50",
  ...filters,
  ...["none", "approval", "changes", "approved", "outcome"].map((waiting) => `waiting=${waiting}`),
  "waiting=outcome&status=in_progress",
  "waiting=outcome&status=in_progress&type=general",
  "waiting=none&status=in_progress&type=general",
  "waiting=approval&type=general",
  "updatedSince=2000-01-01T00:00:00Z",
  "updatedSince=2000-01-01T00:00:00Z&status=in_progress&type=general",
  "updatedSince=2000-01-01T00:00:00Z&waiting=outcome",
  "updatedSince=2000-01-01T00:00:00Z&waiting=outcome&status=in_progress&type=general",
  `appId=${ids.app}&status=open`,
  `appId=${ids.smallApp}`,
];

const agentReads: readonly Read[] = [
  ...agentFilters.map((query) => ({ name: `an agent's list, ${query}`, ...agentList(query) })),
  ...["limit=20", "status=approved", "status=awaiting_approval", "status=rejected"].map(
    (query) =>
      ({ name: `an agent's proposals, ${query}`, by: "agent", path: `/api/v1/agent/runs?${query}` }) as const,
  ),
  { name: "an agent's thread", by: "agent", path: `/api/v1/agent/feedback/${idOf("a", 1)}` },
];

const midway = "from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z";

const consoleReads: readonly Read[] = [
  ...["limit=50", ...filters, midway, `${midway}&status=in_progress&type=general`].map((query) => ({
    name: `the inbox, ${query}`,
    ...inbox(query),
  })),
  ...["", ...filters, "unread=true", "unread=true&status=in_progress&type=general"].map((query) => ({
    name: `the inbox by activity, ${query || "all"}`,
    ...inbox(`order=activity&${query}`),
  })),
  { name: "the inbox, second page", second: true, ...inbox("limit=50") },
  { name: "the inbox of a small app", ...inbox("limit=50", ids.smallApp) },
  { name: "audit", ...api("/audit") },
  { name: "audit of an app", ...api(`/audit?appId=${ids.app}`) },
  { name: "audit of an action", ...api("/audit?action=key.create") },
  { name: "audit of an action of an app", ...api(`/audit?action=key.create&appId=${ids.smallApp}`) },
  { name: "audit of a person", ...api("/audit?actor=person7@example.org") },
  { name: "audit of a person who did nothing", ...api("/audit?actor=nobody@example.org") },
  { name: "apps", ...api("/apps") },
  { name: "release notes", ...api(`/apps/${ids.app}/changelog`) },
  { name: "FAQ", ...api(`/apps/${ids.app}/faqs`) },
  { name: "listings", ...api(`/apps/${ids.app}/listings`) },
  { name: "cycles of a listing", ...api(`/listings/${idOf("5", 1)}/cycles`) },
  { name: "a cycle", ...api(`/cycles/${idOf("6", 1)}`) },
  { name: "report of a cycle", ...api(`/cycles/${idOf("6", 1)}/report`) },
];

const pageReads: readonly Read[] = [
  { name: "page: home", ...page("") },
  { name: "page: inbox", ...page(`/feedback/${ids.app}`) },
  { name: "page: inbox, all", ...page(`/feedback/${ids.app}?status=all`) },
  { name: "page: inbox, rare filters", ...page(`/feedback/${ids.app}?status=in_progress&type=general`) },
  { name: "page: search", isSearch: true, ...page(`/feedback/${ids.app}?status=all&q=settings`) },
  { name: "page: thread", ...page(`/feedback/${ids.app}/${idOf("a", 1)}`) },
  { name: "page: FAQ", ...page(`/faqs/${ids.app}`) },
  { name: "page: release notes", ...page(`/changelog/${ids.app}`) },
  { name: "page: a release note", ...page(`/changelog/${ids.app}/${idOf("4", 200)}`) },
  { name: "page: closed testing", ...page(`/testing/${ids.app}`) },
  { name: "page: listing", ...page(`/testing/${ids.app}/${idOf("5", 1)}`) },
  { name: "page: cycle", ...page(`/cycles/${ids.app}/${idOf("6", 1)}`) },
  { name: "page: cycle, a day", ...page(`/cycles/${ids.app}/${idOf("6", 1)}?slot=${idOf("7", 1)}&day=1`) },
  { name: "page: report of a cycle", ...page(`/cycles/${ids.app}/${idOf("6", 1)}/report`) },
  { name: "page: members", ...page(`/members/${ids.app}`) },
  { name: "page: settings of an app", ...page(`/apps/${ids.app}`) },
  { name: "page: account", ...page("/account") },
  { name: "page: tokens", ...page("/tokens") },
  { name: "page: devices", ...page("/devices") },
  { name: "page: sign-in methods", ...page("/sign-in-methods") },
  { name: "page: audit", ...page("/audit") },
  { name: "page: audit of a person", ...page("/audit?actor=person7@example.org") },
];

/** Every list of the API and every page of the console. */
export const reads: readonly Read[] = [...agentReads, ...consoleReads, ...pageReads, ...searchReads];
