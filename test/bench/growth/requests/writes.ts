import { threadsOfFirstApp } from "../app-rows.ts";
import { idOf, ids, type Measured } from "./measured.ts";

const app = `/api/v1/console/apps/${ids.app}`;
const thread = "/api/v1/console/feedback/{threadId}";
const report = { type: "bug", message: "The settings page closes when it is opened twice." };
const merged = (act: string) => `/api/v1/console/feedback/{mergedId}/${act}`;
const byKey = { by: "app", method: "POST", path: "/api/v1/feedback/remote" } as const;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const byApps: readonly Measured[] = [
  ...[
    { name: "a new report", body: () => report },
    { name: "a report with a new key", body: (call: number) => ({ ...report, dedupeKey: `growth ${call}` }) },
    { name: "a repeat of a report", body: () => ({ ...report, dedupeKey: "the failure of this benchmark" }) },
  ].map((each) => ({ ...byKey, ...each }) as const),
  {
    ...{ name: "a test session", by: "app", method: "POST", path: "/api/v1/testing/sdk/session", most: 15 },
    body: () => ({
      testKey: "{testKey}",
      startedAt: minutesAgo(9),
      endedAt: minutesAgo(8),
      screens: ["Home"],
    }),
  },
];

const byAgents: readonly Measured[] = [
  {
    ...{
      name: "a proposal",
      by: "agent",
      method: "POST",
      path: "/api/v1/agent/feedback/{threadId}/proposal",
    },
    body: () => ({ summary: "Open the page once", plan: "1. Guard the handler." }),
  },
];

const changes: readonly Omit<Measured, "by">[] = [
  {
    name: "a thread's subject",
    method: "PATCH",
    path: thread,
    body: (call: number) => ({ subject: `Page ${call}` }),
  },
  {
    ...{ name: "a thread's status", method: "PATCH", path: thread },
    body: (call: number) => ({ status: call % 2 === 0 ? "open" : "resolved" }),
  },
  {
    ...{ name: "a thread's tag", method: "PATCH", path: thread },
    body: (call: number) => (call % 2 === 0 ? { addTags: ["tag 1"] } : { removeTags: ["tag 1"] }),
  },
  {
    ...{ name: "a thread's assignee", method: "PATCH", path: thread },
    body: (call: number) => ({ assignee: call % 2 === 0 ? "me" : null }),
  },
  {
    name: "a note",
    method: "POST",
    path: `${thread}/messages`,
    body: () => ({ body: "Seen.", direction: "note" }),
  },
  {
    name: "a mark of a thread",
    method: "PUT",
    path: `${thread}/read`,
    body: (call: number) => ({ read: call % 2 === 0 }),
  },
  {
    ...{ name: "marks of some threads", method: "PUT", path: `${app}/feedback/read` },
    body: () => ({ status: "in_progress", type: "general" }),
  },
  {
    ...{ name: "a green run", method: "POST", path: `${app}/feedback/resolve` },
    body: (call: number) => ({ run: `run ${call}`, passed: ["failure 1", { prefix: "failure 99999" }] }),
  },
  {
    ...{ name: "a merge", method: "POST", path: merged("merge") },
    body: () => ({ into: "{targetId}" }),
    after: { by: "person", method: "POST", path: merged("unmerge") },
  },
  {
    ...{ name: "an unmerge", method: "POST", path: merged("unmerge") },
    before: { by: "person", method: "POST", path: merged("merge"), body: () => ({ into: "{targetId}" }) },
  },
  {
    ...{ name: "a snooze", method: "PATCH", path: thread },
    body: (call: number) => ({ snoozedUntil: call % 2 === 0 ? null : new Date(Date.now() + 86_400_000) }),
  },
  {
    ...{ name: "a change of chosen threads", method: "POST", path: `${app}/feedback/bulk` },
    body: (call: number) => ({
      ids: ["{threadId}", "{mergedId}", "{targetId}"],
      change: call % 2 === 0 ? { addTags: ["tag 3"] } : { removeTags: ["tag 3"] },
    }),
  },
  {
    ...{ name: "a change of 200 threads", method: "POST", path: `${app}/feedback/bulk`, most: 10 },
    body: (call: number) => ({
      ids: threadsOfFirstApp(200).map((n) => idOf("a", n)),
      change: call % 2 === 0 ? { addTags: ["tag 3"] } : { removeTags: ["tag 3"] },
    }),
  },
  {
    ...{ name: "a change of all threads of a list", method: "POST", path: `${app}/feedback/bulk` },
    body: (call: number) => ({
      filter: { sender: "{sender}", order: "activity" },
      expected: { total: 3, asOf: new Date() },
      change: { assignee: call % 2 === 0 ? "me" : null },
    }),
  },
  {
    ...{ name: "the desk after a new report", path: `${app}/feedback?status=open&order=activity` },
    before: { ...byKey, body: () => report },
  },
  {
    name: "a new FAQ entry",
    method: "POST",
    path: `${app}/faqs`,
    body: () => ({ question: "How?", answer: "So." }),
  },
  {
    ...{ name: "a changed FAQ entry", method: "PATCH", path: `/api/v1/console/faqs/${idOf("3", 200)}` },
    body: (call: number) => ({ answer: `Open the settings ${call} times.` }),
  },
  {
    ...{
      name: "a changed release note",
      method: "PATCH",
      path: `/api/v1/console/changelog/${idOf("4", 200)}`,
    },
    body: (call: number) => ({ title: `Release ${call}` }),
  },
  {
    ...{ name: "a blocked sender", method: "POST", path: `${app}/blocked-senders` },
    body: (call: number) => ({ kind: "address", sender: `blocked${call}@example.org` }),
  },
  {
    ...{ name: "what is known of a person", method: "POST", path: "/api/v1/console/people/preview" },
    body: () => ({ email: "person77@example.org" }),
  },
  {
    ...{ name: "what is known of nobody", method: "POST", path: "/api/v1/console/people/preview" },
    body: () => ({ email: "nobody@example.org" }),
  },
];

/** Changes whose work could grow with the data. The last one marks all as read, so nothing may follow it. */
export const writes: readonly Measured[] = [
  ...byApps,
  ...byAgents,
  ...changes.map((each) => ({ by: "person", ...each }) as const),
  {
    name: "marks of all threads",
    by: "person",
    method: "PUT",
    path: `${app}/feedback/read`,
    body: () => ({}),
  },
];
