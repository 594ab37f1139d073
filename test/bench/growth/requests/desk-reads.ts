import { fixedViews } from "../../../../src/contract/fixed-views.ts";
import { api, idOf, ids, inbox, type Measured, page } from "./measured.ts";

const queryOf = (query: object) => new URLSearchParams(Object.entries(query)).toString();
const views = Object.entries(fixedViews).map(([name, query]) => ({ name, query: queryOf(query) }));
const small = idOf("1", 3);

/** Filters that the desk can have besides those of a view. */
const narrowings = ["type=general", "type=bug", "tag=tag%201", "tag=tag%2020", "from=2026-01-01T00:00:00Z"];

const lists: readonly Measured[] = [
  ...views.flatMap(({ name, query }) =>
    ["", ...narrowings].map((more) => ({
      name: `the desk, ${[name, more].filter(Boolean).join("&")}`,
      ...inbox(`${query}&${more}`),
    })),
  ),
  ...views.map(({ name, query }) => ({
    name: `the desk by age, ${name}`,
    ...inbox(query.replace("order=activity", "order=created")),
  })),
  ...["waitingOn=us", "waitingOn=sender", "snoozed=true", "unfinished=true"].map((query) => ({
    name: `the desk by age, ${query}&type=general`,
    ...inbox(`${query}&type=general`),
  })),
  { name: "the desk, threads of a sender", ...inbox("sender=person77@example.org") },
  { name: "the desk, a number", ...inbox("number=4") },
  { name: "the desk, second page", second: true, ...inbox(views[0]?.query ?? "") },
  { name: "the desk of a small app", ...inbox(views[0]?.query ?? "", small) },
];

const countsPath = `/apps/${ids.app}/feedback/counts`;

const counts: readonly Measured[] = [
  { name: "counts of the views", ...api(`${countsPath}?views=1`) },
  ...[
    "order=created",
    "unread=true",
    "tag=tag%201",
    "tag=tag%2020",
    "type=general&status=in_progress",
    "waitingOn=us&type=general",
    "assignee=me&type=bug",
    "sender=person77@example.org",
  ].map((query) => ({ name: `counts, ${query}`, ...api(`${countsPath}?matching=1&${query}`) })),
  { name: "counts, up to 5,000", ...api(`${countsPath}?matching=exact&order=activity`) },
];

const allApps: readonly Measured[] = [
  ...["limit=50", "order=activity", "unread=true", ...views.map(({ query }) => query)].map((query) => ({
    name: `all apps, ${query}`,
    ...api(`/feedback?${query}`),
  })),
  { name: "all apps, status=in_progress&type=general", ...api("/feedback?status=in_progress&type=general") },
  { name: "page: all apps", ...page("/feedback") },
  { name: "page: all apps, unread", ...page("/feedback?status=unread") },
  { name: "search in all apps", isSearch: true, ...api("/search?q=settings") },
  { name: "page: search in all apps", isSearch: true, ...page("/search?q=settings") },
];

const webhook = `/apps/${ids.app}/webhooks`;

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const ofYear = queryOf({ from: dayBefore(365), to: dayBefore(0), zone: "Europe/Berlin" });

const others: readonly Measured[] = [
  { name: "saved views", ...api(`/apps/${ids.app}/views`) },
  ...["to_triage", "waiting_on_us", "snoozed", "all"].map((view) => ({
    name: `page: desk, ${view}`,
    ...page(`/feedback/${ids.app}?view=${view}`),
  })),
  { name: "page: desk, a thread beside the list", ...page(`/feedback/${ids.app}?view=all&open={threadId}`) },
  { name: "page: desk, all of a list are chosen", ...page(`/feedback/${ids.app}?view=all&all=1`) },
  {
    name: "page: decisions, from the list",
    ...page(`/feedback/${ids.app}/${idOf("a", 10)}?list=decisions&at=1`),
  },
  { name: "events of a thread", ...api("/feedback/{threadId}/events") },
  { name: "page: merge a thread", ...page(`/feedback/${ids.app}/{threadId}/merge`) },
  { name: "webhooks", ...api(webhook) },
  { name: "page: webhooks", ...page(`/webhooks/${ids.app}`) },
  { name: "page: a webhook", ...page(`/webhooks/${ids.app}/${idOf("19", 1)}`) },
  ...["", "?status=waiting", "?status=failed", "?status=delivered"].map((query) => ({
    name: `deliveries${query}`,
    ...api(`${webhook}/${idOf("19", 1)}/deliveries${query}`),
  })),
  { name: "notices of a person", ...api("/me/notices") },
  { name: "page: notices", ...page("/account/notices") },
  { name: "the first steps", ...api(`/apps/${ids.app}/start`) },
  { name: "page: the first steps", ...page(`/start/${ids.app}`) },
  { name: "page: numbers", ...page(`/numbers/${ids.app}`) },
  { name: "page: numbers of a year", ...page(`/numbers/${ids.app}?${ofYear}`) },
  { name: "similar threads", ...api(`/feedback/${idOf("a", 1)}/similar`) },
  {
    name: "statistics of a year",
    ...api(`/apps/${ids.app}/statistics?${ofYear}`),
  },
  { name: "a FAQ entry in German", ...page(`/faqs/${ids.app}/${idOf("3", 200)}?lang=de`) },
  { name: "a release note in German", ...page(`/changelog/${ids.app}/${idOf("4", 200)}?lang=de`) },
  { name: "release notes in German", by: "app", path: "/api/v1/changelog/remote?lang=de" },
];

/** The reads of a team at its desk. */
export const deskReads: readonly Measured[] = [...lists, ...counts, ...allApps, ...others];
