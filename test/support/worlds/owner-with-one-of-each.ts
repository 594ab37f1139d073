import { feedbackThreads, type NewThread } from "../../../server/feedback/threads/store/threads.ts";
import { statusUrlOf } from "../../../server/mail/sender-page/links.ts";
import { maintainerScopes } from "../../../src/contract/endpoint.ts";
import { eachReportText } from "../../../src/contract/report-texts.ts";
import { mailOf, makeMailArrive } from "../mail/arriving-mail.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";
import { newListing, requestSlotAs } from "./listing-and-slot-activity.ts";

const blockedSender = { kind: "address", sender: "eve@spam.example" };

/** An owner with an app, and one object of each kind in it. */
export type OwnerWithOneOfEach = Awaited<ReturnType<typeof makeOwnerWithOneOfEach>>;

export async function makeOwnerWithOneOfEach(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const headers = await service.signIn(owner);
  const agentToken = await service.makeToken(owner, "agent");
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.request(method, `/api/v1/console${path}`, { headers: { ...headers, "if-match": "*" }, body });
  const make = async (path: string, body: unknown) => (await call("POST", path, body)).field("id");
  const threadId = await sendFeedback(service, app.key);
  const device = await service.makeDevice(owner);
  const listingId = await make(`/apps/${app.id}/listings`, newListing);
  return {
    owner,
    app,
    /** The headers of the owner's browser. */
    headers,
    agentToken,
    /** The headers of a tester's phone, signed in as the owner. */
    device,
    deviceId: (await call("GET", "/devices")).field("items.0.id"),
    /** Calls the console's API as the owner in a browser, regardless of changes since the last read. */
    call,
    threadId,
    /** The page of the sender of the thread. */
    senderPath: new URL(statusUrlOf(service.deps, { reportId: threadId, counter: 0, mailed: false }))
      .pathname,
    runId: await propose(service, agentToken, threadId),
    /** A mail to the thread that was held back. */
    mailId: await makeAutomaticMail(service, { appId: app.id, threadId }),
    /** Another member of the app, a viewer. */
    userId: (await service.makeMember(app.id, "viewer")).id,
    invitationId: await make(`/apps/${app.id}/invitations`, { email: "guest@example.org", role: "viewer" }),
    keyId: await make(`/apps/${app.id}/keys`, { label: "CI" }),
    tokenId: await make("/tokens", { kind: "maintainer", label: "CI", scopes: maintainerScopes }),
    blockedSenderId: await make(`/apps/${app.id}/blocked-senders`, blockedSender),
    hiddenId: await sendFeedback(service, app.key, { message: "Buy now.", email: blockedSender.sender }),
    savedReplyId: await make(`/apps/${app.id}/saved-replies`, {
      title: "Thanks",
      body: "Thank you, {name}!",
    }),
    viewId: await make(`/apps/${app.id}/views`, { name: "Open", query: { status: "open" }, shared: true }),
    tagId: await make(`/apps/${app.id}/tags`, { name: "crash", colour: "red" }),
    faqId: await make(`/apps/${app.id}/faqs`, { question: "Why?", answer: "Because." }),
    entryId: await make(`/apps/${app.id}/changelog`, { title: "First", version: "1.0.0" }),
    listingId,
    ...(await makeTest(service, call, listingId)),
    ...(await makeWebhook(app.id, make)),
  };
}

/** A webhook whose address is refused, with the delivery of a test. */
async function makeWebhook(appId: string, make: (path: string, body: unknown) => Promise<string>) {
  const at = `/apps/${appId}/webhooks`;
  const webhookId = await make(at, { url: "http://127.0.0.1:1/hook", events: ["faq.changed"] });
  return { webhookId, deliveryId: await make(`${at}/${webhookId}/test`, undefined) };
}

async function makeAutomaticMail(
  service: Service,
  { appId, threadId }: { readonly appId: string; readonly threadId: string },
): Promise<string> {
  const take = await makeMailArrive(service, { reportId: threadId, appId, recipient: "guest@example.org" });
  await take(mailOf(["I am away."], { "Auto-Submitted": "auto-replied" }));
  const row = await service.deps.database.get<{ id: string }>(
    "SELECT id FROM mail_originals WHERE feedback_id = ?",
    threadId,
  );
  return row?.id ?? "none";
}

/** A cycle that runs from today on; a tester has requested the slot with the given id. */
async function makeTest(
  service: Service,
  call: (method: string, path: string, body: unknown) => Promise<Answer>,
  listingId: string,
) {
  const startsOn = service.clock.now().toISOString().slice(0, 10);
  const planned = await call("POST", `/listings/${listingId}/cycles`, { startsOn, timezone: "UTC" });
  const slotId = planned.field("slots.0.slotId");
  await requestSlotAs(service, slotId, await service.makeUser());
  return { cycleId: planned.field("cycle.id"), slotId };
}

/** Sends feedback as an app. Returns the id of the thread. */
export async function sendFeedback({ request }: Service, key: string, report: object = {}): Promise<string> {
  const body = { type: "bug", message: "It broke.", ...report };
  const answer = await request("POST", "/api/v1/feedback/remote", { headers: { "x-api-key": key }, body });
  return answer.field("id");
}

/** Writes threads directly into the database, each one second younger than the previous one. */
export async function fillThreads(
  { deps }: Service,
  appId: string,
  threads: readonly Partial<NewThread>[],
): Promise<void> {
  const start = deps.clock.now().getTime() - threads.length * 1_000;
  await deps.database.write(async (tx) => {
    for (const [at, thread] of threads.entries()) {
      await feedbackThreads.insert(tx, {
        id: deps.newId(),
        appId,
        subject: `Thread ${at}`,
        message: "It broke.",
        category: "bug",
        ...eachReportText(() => null),
        senderName: null,
        senderEmail: null,
        metadata: "{}",
        files: `{"images":[],"videos":[],"attachments":[]}`,
        dedupeKey: null,
        createdAt: new Date(start + at * 1_000).toISOString(),
        ...thread,
      });
    }
  });
}

/** Proposes a plan as an agent. Returns the id of the proposal. */
export async function propose(
  { request }: Service,
  token: string,
  threadId: string,
  more: { readonly summary?: string; readonly plan?: string } = {},
): Promise<string> {
  const answer = await request("POST", `/api/v1/agent/feedback/${threadId}/proposal`, {
    headers: bearer(token),
    body: { summary: "Mend it", plan: "1. Find it\n2. Mend it", ...more },
  });
  return answer.field("runId");
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
