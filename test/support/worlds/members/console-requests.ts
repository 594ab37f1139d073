import type { Endpoint } from "../../../../src/contract/endpoint.ts";
import { png } from "../../files/sample-files.ts";
import { newListing } from "../listing-and-slot-activity.ts";
import type { OwnerWithOneOfEach } from "../owner-with-one-of-each.ts";

const picture = `data:image/png;base64,${png().bytes.toString("base64")}`;

/** A body that each endpoint would accept. */
export const bodies: Record<string, unknown> = {
  "session.changePassword": { currentPassword: "none", newPassword: "a long passphrase" },
  "session.firstPassword": { newPassword: "a long passphrase" },
  "passkeys.begin": { code: "123456" },
  "passkeys.create": {
    ...{ ceremony: "x", name: "Key", id: "AA", clientDataJSON: "AA", attestationObject: "AA" },
  },
  "passkeys.remove": { code: "123456" },
  "preferences.update": { keys: false },
  "account.update": { name: "Ada Byron" },
  "secondFactor.begin": {},
  "secondFactor.confirm": { code: "123456" },
  "secondFactor.renewRecoveryCodes": { code: "123456" },
  "secondFactor.remove": { code: "123456" },
  "apps.create": { name: "New" },
  "apps.update": { name: "Other" },
  "members.update": { role: "viewer" },
  "invitations.create": { email: "somebody@example.org", role: "viewer" },
  "account.remove": { email: "other@example.org" },
  "people.preview": { email: "grace@example.org" },
  "people.erase": { email: "grace@example.org" },
  "people.check": { email: "grace@example.org" },
  "keys.create": {},
  "tokens.create": { kind: "agent", label: "New" },
  "threads.update": { status: "resolved" },
  "threads.merge": { into: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11" },
  "readMarks.update": { read: true },
  "readMarks.updateAll": {},
  "savedReplies.create": { title: "Thanks", body: "Thank you, {name}!" },
  "savedReplies.update": { title: "Many thanks" },
  "notices.addBrowser": {
    endpoint: "https://push.example/send/dYJ4mQ",
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  "notices.change": { quietHours: { from: "22:00", to: "07:00" } },
  "views.create": { name: "Crashes", query: { tag: "crash" } },
  "views.update": { name: "Crash" },
  "bulk.change": { ids: ["0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11"], change: { status: "resolved" } },
  "bulk.undo": { undo: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11" },
  "blockedSenders.create": { kind: "address", sender: "mallory@example.org" },
  "tags.create": { name: "new" },
  "tags.update": { colour: "red" },
  "tags.merge": { into: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11" },
  "failures.resolve": { run: "2", passed: ["login"] },
  "threads.renewStatusLink": {},
  "threads.addMessage": { direction: "note", body: "Seen." },
  "runs.decide": { decision: "approve" },
  "runs.recall": {},
  "texts.preview": { markdown: "**A**" },
  "texts.addFaqPictures": { pictures: [picture] },
  "texts.addReleasePictures": { pictures: [picture] },
  "consoleFaqs.createDraft": { question: "How?", answer: "So." },
  "consoleFaqs.saveDraft": { answer: "So." },
  "consoleFaqs.restore": { version: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11" },
  "consoleChangelog.saveDraft": { title: "Other" },
  "consoleChangelog.restore": { version: "0198c1a2-7d31-7c52-9e0f-5b8f0f6f2a11" },
  "consoleFaqs.create": { question: "How?", answer: "So." },
  "consoleFaqs.replace": { faqs: [] },
  "consoleFaqs.update": { answer: "So." },
  "consoleChangelog.create": { title: "Second", version: "2.0.0" },
  "consoleChangelog.put": { title: "Second" },
  "consoleChangelog.update": { title: "Other" },
  "listings.create": newListing,
  "listings.update": { appName: "Other" },
  "cycles.create": { startsOn: "2099-01-01", timezone: "UTC" },
  "slots.assign": { email: "somebody@example.org" },
  "webhooks.create": { url: "https://example.org/hook" },
  "webhooks.update": { texts: true },
  "webhooks.rotate": {},
  "webhooks.replay": { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" },
};

/** The path of an endpoint for the objects of the test data. */
export function pathIn(world: OwnerWithOneOfEach, { path }: Pick<Endpoint, "path">): string {
  const { app, threadId, ...ids } = world;
  const params: Record<string, unknown> = { ...ids, appId: app.id, id: threadId, version: "3.0.0" };
  if (path.endsWith("/console/search")) return `${path}?q=broke`;
  return path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
}
