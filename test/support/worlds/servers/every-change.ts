import { addMember, changeRole, removeMember, replacePassword } from "../../../../server/admin/accounts.ts";
import { retention } from "../../../../server/feedback/threads/store/removal.ts";
import type { Service } from "../../service/service.ts";
import { cookieOf, postSession } from "../../sign-in/password-accounts.ts";
import type { Act } from "./cached-acts.ts";
import type { CachedWorld, LookName } from "./cached-world.ts";

/** A change, the required earlier actions, and the cached answers that it changes. */
export interface Change {
  /** The endpoint that makes the change, or another cause. */
  readonly by: string;
  /** Actions before the answers are read. */
  readonly after?: readonly string[];
  /** The action that makes the change. */
  readonly act: string;
  readonly shownBy: readonly LookName[];
}

const faqs = ["faqs", "faqs with the second key"] as const;
const notes = ["release notes"] as const;
const thread = ["thread", "thread for the member's agent", "thread with the second token"] as const;
const run = ["first run", "first run for the member's agent", "last run"] as const;
const ofMember = ["first run for the member's agent", "thread for the member's agent"] as const;
const ofSecondToken = ["thread with the second token"] as const;
const ofSecondKey = ["faqs with the second key"] as const;
const tasks = ["tasks", "tasks on the first device"] as const;
const status = ["status"] as const;
const approved = ["approve"];
const claimed = ["approve", "claim"];
const published = ["publish a note"];

/** Each kind of change of cached data. */
export const everyChange: readonly Change[] = [
  { by: "faqs.create", act: "add a FAQ", shownBy: faqs },
  { by: "faqs.update", act: "edit a FAQ", after: ["add a FAQ"], shownBy: faqs },
  { by: "faqs.remove", act: "remove a FAQ", after: ["add a FAQ"], shownBy: faqs },
  { by: "faqs.replace", act: "replace the FAQ", shownBy: faqs },
  { by: "consoleFaqs.create", act: "add a FAQ in the console", shownBy: faqs },
  { by: "consoleFaqs.update", act: "edit a FAQ in the console", after: ["add a FAQ"], shownBy: faqs },
  { by: "consoleFaqs.remove", act: "remove a FAQ in the console", after: ["add a FAQ"], shownBy: faqs },
  { by: "consoleFaqs.replace", act: "replace the FAQ in the console", shownBy: faqs },
  { by: "consoleChangelog.put", act: "publish a note", shownBy: notes },
  { by: "consoleChangelog.create", act: "write a published note", shownBy: notes },
  { by: "consoleChangelog.update", act: "edit the note", after: published, shownBy: notes },
  { by: "consoleChangelog.publish", act: "publish the planned note", after: ["plan a note"], shownBy: notes },
  { by: "consoleChangelog.remove", act: "remove the note", after: published, shownBy: notes },
  { by: "the clock", act: "let ten minutes pass", after: ["plan a note"], shownBy: notes },
  { by: "apps.update", act: "switch release notes off", after: published, shownBy: notes },
  { by: "apps.update", act: "rename the app", shownBy: thread },
  {
    by: "apps.remove",
    act: "delete the app",
    shownBy: [...faqs, ...notes, ...thread, ...run, ...status, ...tasks],
  },
  { by: "keys.regenerate", act: "replace a key", shownBy: ofSecondKey },
  { by: "keys.remove", act: "revoke a key", shownBy: ofSecondKey },
  { by: "tokens.remove", act: "revoke a token", shownBy: ofSecondToken },
  { by: "members.update", act: "demote", shownBy: ofMember },
  { by: "members.update", act: "promote", after: ["demote"], shownBy: ofMember },
  { by: "members.remove", act: "remove the member", shownBy: ofMember },
  { by: "invitations.accept", act: "accept an invitation", after: ["remove the member"], shownBy: ofMember },
  { by: "the operator", act: "demote as operator", shownBy: ofMember },
  { by: "the operator", act: "remove the member as operator", shownBy: ofMember },
  { by: "the operator", act: "add the member as operator", after: ["remove the member"], shownBy: ofMember },
  { by: "account.remove", act: "delete the member's account", shownBy: ofMember },
  { by: "feedback.submit", act: "repeat", shownBy: thread },
  { by: "threads.addMessage", act: "note", shownBy: thread },
  { by: "threads.update", act: "resolve", shownBy: thread },
  { by: "threads.merge", act: "merge the thread", after: ["reject"], shownBy: [...thread, ...run] },
  {
    ...{ by: "threads.unmerge", act: "unmerge the thread", after: ["reject", "merge the thread"] },
    shownBy: [...thread, ...run],
  },
  { by: "threads.remove", act: "delete the thread", shownBy: [...thread, ...run] },
  { by: "failures.resolve", act: "report a green run", shownBy: thread },
  { by: "blockedSenders.create", act: "block", shownBy: [] },
  { by: "blockedSenders.remove", act: "unblock", after: ["block", "hidden"], shownBy: thread },
  {
    by: "blockedSenders.release",
    act: "release what is hidden",
    after: ["block", "hidden"],
    shownBy: thread,
  },
  { by: "people.erase", act: "erase the sender", after: ["hidden"], shownBy: thread },
  { by: "retention", act: "delete old threads", after: ["reject", "resolve"], shownBy: [...thread, ...run] },
  { by: "agent.propose", act: "propose", shownBy: [...thread, ...run] },
  { by: "runs.decide", act: "approve", shownBy: [...thread, ...run] },
  { by: "runs.decide", act: "reject", shownBy: [...thread, ...run] },
  { by: "runs.recall", act: "recall", after: approved, shownBy: [...thread, ...run] },
  { by: "agent.claimRun", act: "claim", after: approved, shownBy: run },
  { by: "agent.reportProgress", act: "report progress", after: claimed, shownBy: run },
  { by: "agent.reportOutcome", act: "report the outcome", after: claimed, shownBy: [...thread, ...run] },
  { by: "runs.release", act: "release the claim", after: claimed, shownBy: run },
  {
    by: "the clock",
    act: "let two hours pass",
    after: ["limit approvals", "approve"],
    shownBy: [...thread, ...run],
  },
  { by: "sessions.report", act: "report a session", shownBy: [...status, ...tasks] },
  { by: "tester.rotateKey", act: "replace the test key", shownBy: [...status, ...tasks] },
  { by: "slots.rotateKey", act: "replace the test key in the console", shownBy: [...status, ...tasks] },
  { by: "slots.confirmJoin", act: "confirm that the tester joined", shownBy: tasks },
  { by: "slots.remove", act: "remove the tester", shownBy: tasks },
  { by: "slots.assign", act: "assign a second slot", shownBy: tasks },
  { by: "slots.accept", act: "accept the tester", after: ["request a second slot"], shownBy: tasks },
  { by: "cycles.cancel", act: "cancel this cycle", shownBy: tasks },
  { by: "listings.update", act: "change the listing", shownBy: tasks },
  { by: "devices.remove", act: "sign a device out", shownBy: ["tasks"] },
  { by: "the clock", act: "let a day pass", shownBy: [...status, ...tasks] },
  { by: "the clock", act: "set the clocks back", after: ["let a day pass"], shownBy: [...status, ...tasks] },
  { by: "the clock", act: "let ninety days pass", shownBy: [...status, ...tasks] },
];

/** Actions that are not among the random ones, because they would end something that the random ones need. */
export function createLastActs(
  world: CachedWorld,
  later: (milliseconds: number) => void,
): Record<string, Act> {
  const { appId, cast, person, member, threadId, runs } = world;
  const call = (server: Service, method: string, path: string, body?: unknown) =>
    server.request(method, `/api/v1/console${path}`, {
      headers: { ...person, origin: server.baseUrl, "if-match": "*" },
      body,
    });
  const named = { appId, email: member.email };
  const list = { faqs: [{ question: "New?", answer: "Yes." }] };
  const note = { title: "News", version: "9.0.0", allowDuplicate: true };
  const inTenMinutes = (server: Service) => new Date(server.clock.now().getTime() + 599_000).toISOString();
  const pass = (milliseconds: number) => async () => later(milliseconds);
  return {
    "replace the FAQ": (server) =>
      server.request("PUT", "/api/v1/faqs/remote", { headers: { ...cast.key, "if-match": "*" }, body: list }),
    "add a FAQ in the console": (server) => call(server, "POST", `/apps/${appId}/faqs`, list.faqs[0]),
    "edit a FAQ in the console": (server) =>
      call(server, "PATCH", `/faqs/${world.faqs[0]}`, { answer: "No." }),
    "remove a FAQ in the console": (server) => call(server, "DELETE", `/faqs/${world.faqs[0]}`),
    "replace the FAQ in the console": (server) => call(server, "PUT", `/apps/${appId}/faqs`, list),
    "write a published note": (server) =>
      call(server, "POST", `/apps/${appId}/changelog`, { ...note, publish: true }),
    "plan a note": async (server) => {
      const planned = { ...note, publishedAt: inTenMinutes(server) };
      world.noteId = (await call(server, "POST", `/apps/${appId}/changelog`, planned)).field("id");
    },
    "edit the note": (server) => call(server, "PATCH", `/changelog/${world.noteId}`, { title: "Other news" }),
    "publish the planned note": (server) => call(server, "POST", `/changelog/${world.noteId}/publish`, {}),
    "remove the note": (server) => call(server, "DELETE", `/changelog/${world.noteId}`),
    "delete the app": (server) => call(server, "DELETE", `/apps/${appId}`),
    "remove the member": (server) => call(server, "DELETE", `/apps/${appId}/members/${member.id}`),
    "accept an invitation": async (server) => {
      const wanted = { email: member.email, role: "owner" };
      const made = await call(server, "POST", `/apps/${appId}/invitations`, wanted);
      const token = new URL(made.field("url")).pathname.split("/").at(-1);
      const headers = { ...(await server.signIn(member)), origin: server.baseUrl };
      return server.request("POST", `/api/v1/console/invitations/${token}/accept`, { headers });
    },
    "demote as operator": ({ deps }) => changeRole(deps.database, { ...named, role: "viewer" }),
    "remove the member as operator": ({ deps }) => removeMember(deps.database, named),
    "add the member as operator": ({ deps }) => addMember(deps.database, { ...named, role: "owner" }),
    "delete the member's account": async (server) => {
      const password = "a long password for one test";
      await replacePassword(server.deps.database, { email: member.email, password });
      const cookie = cookieOf(await postSession(server, { email: member.email, password }));
      return server.request("POST", "/api/v1/console/account/delete", {
        headers: { cookie, origin: server.baseUrl },
        body: { email: member.email, currentPassword: password },
      });
    },
    "merge the thread": async (server) => {
      const into = (await world.report(server, { dedupeKey: "two" })).field("id");
      return call(server, "POST", `/feedback/${threadId}/merge`, { into });
    },
    "unmerge the thread": (server) => call(server, "POST", `/feedback/${threadId}/unmerge`),
    "delete the thread": (server) => call(server, "DELETE", `/feedback/${threadId}`),
    "report a green run": (server) =>
      call(server, "POST", `/apps/${appId}/feedback/resolve`, { run: "2", passed: ["one"] }),
    "release what is hidden": async (server) => {
      const hidden = await call(server, "GET", `/apps/${appId}/hidden-feedback`);
      return call(server, "POST", `/hidden-feedback/${hidden.field("items.0.id")}/release`, {});
    },
    "erase the sender": (server) => call(server, "POST", "/people/erase", { email: "eve@example.org" }),
    "delete old threads": async (server) => {
      await call(server, "PATCH", `/apps/${appId}`, { retentionDays: 30 });
      const now = new Date(server.clock.now().getTime() + 31 * 86_400_000);
      await server.deps.database.write((tx) => retention.removeDue(tx, appId, { now, most: 10 }));
    },
    "limit approvals": (server) => call(server, "PATCH", `/apps/${appId}`, { approvalHours: 1 }),
    "report the outcome": (server) =>
      server.request("POST", `/api/v1/agent/runs/${runs.at(-1)}/outcome`, {
        headers: world.agent,
        body: { claimId: world.claimId, status: "succeeded", summary: "Done." },
      }),
    "replace the test key in the console": (server) =>
      call(server, "POST", `/slots/${world.slotId}/rotate-key`, {}),
    "remove the tester": (server) => call(server, "POST", `/slots/${world.slotId}/remove`, {}),
    "assign a second slot": (server) =>
      call(server, "POST", `/slots/${world.otherSlotId}/assign`, { email: world.tester.email }),
    "request a second slot": (server) =>
      server.request("POST", `/api/v1/testing/slots/${world.otherSlotId}/request`, {
        headers: world.device,
        body: {},
      }),
    "accept the tester": (server) => call(server, "POST", `/slots/${world.otherSlotId}/accept`, {}),
    "cancel this cycle": (server) => call(server, "POST", `/cycles/${world.cycleId}/cancel`, {}),
    "let ten minutes pass": pass(600_000),
    "let two hours pass": pass(7_200_000),
    "set the clocks back": pass(-86_400_000),
    "let ninety days pass": pass(91 * 86_400_000),
  };
}
