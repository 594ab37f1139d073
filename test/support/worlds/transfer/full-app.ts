import * as sample from "../../files/sample-files.ts";
import { fc } from "../../property.ts";
import type { Service } from "../../service/service.ts";
import { makeCycleOnNinthDay } from "../cycle-on-its-ninth-day.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
} from "../owner-with-one-of-each.ts";
import type { Line } from "./app-file.ts";

const dataUrl = ({ mediaType, bytes }: sample.SampleFile) =>
  `data:${mediaType};base64,${bytes.toString("base64")}`;

/** An owner of an app with threads, files, repeats, proposals in every state, release notes, a FAQ and a running test. */
export async function makeFullApp(service: Service): Promise<OwnerWithOneOfEach> {
  const world = await makeOwnerWithOneOfEach(service);
  const { app, call, agentToken } = world;
  const send = async (report: object) =>
    (
      await service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": app.key },
        body: { type: "bug", message: "It broke.", ...report },
      })
    ).field("id");
  const shot = dataUrl(sample.png());
  const threadId = await send({
    dedupeKey: "crash",
    dedupeScope: "ci",
    dedupeRun: "1",
    email: "grace@example.org",
    name: 'Gräce "NUL" \u2028 <b>',
    metadata: { a: [1, { __proto__: null, b: "\\u0000 \u{1f600}" }] },
    images: [shot],
  });
  await send({ dedupeKey: "crash", dedupeScope: "ci", dedupeRun: "2", message: "Again.", images: [shot] });
  await call("POST", `/feedback/${threadId}/messages`, { direction: "note", body: "We look at it." });
  await call("POST", `/feedback/${threadId}/messages`, { direction: "outbound", body: "Thanks." });
  const decide = async (decision: string, note?: string) => {
    const runId = await propose(service, agentToken, threadId);
    await call("POST", `/runs/${runId}/decision`, { decision, ...(note ? { note } : {}) });
    return runId;
  };
  await decide("reject", "No.");
  await decide("request_changes", "Shorter.");
  await work(service, world, await decide("approve"));
  await propose(service, agentToken, await send({ message: "Waits." }));
  await call("PATCH", `/feedback/${threadId}`, { status: "resolved" });
  await call("POST", `/apps/${app.id}/changelog`, {
    title: "Second",
    version: "1.1.0",
    versions: [{ platform: "android", version: "1.1.0 (7)" }],
    bodyFormat: "items",
    items: [{ type: "fixed", text: `Feedback: ${threadId}` }],
    body: "",
    publish: true,
    translations: { de: { title: "Zweite", body: `Neu.\n\nFeedback: ${threadId}` } },
  });
  const stored = await call("POST", `/apps/${app.id}/faqs/pictures`, { pictures: [dataUrl(sample.png())] });
  const [{ markdown }] = Object(stored.body).pictures;
  const translations = { de: { question: "Wo?", answer: `Hier: ${markdown}` } };
  const faq = { question: "Where?", answer: `Here: ${markdown}`, translations };
  const faqId = (await call("POST", `/apps/${app.id}/faqs`, faq)).field("id");
  await call("PATCH", `/faqs/${faqId}`, { translations: { fr: { question: "Où ?", answer: "Ici." } } });
  await call("PUT", `/faqs/${faqId}/draft`, { translations: { fr: null } });
  await makeCycleOnNinthDay(service, world);
  return world;
}

/** Carries an approved proposal out. */
async function work(service: Service, { owner }: OwnerWithOneOfEach, runId: string): Promise<void> {
  const token = await service.makeToken(owner, "agent", { scopes: ["runs:work"] });
  const post = (what: string, body: object) =>
    service.request("POST", `/api/v1/agent/runs/${runId}/${what}`, { headers: bearer(token), body });
  const claimId = (await post("claim", { worker: "ci" })).field("claimId");
  await post("progress", { claimId, text: "Half." });
  await post("outcome", { claimId, status: "succeeded", summary: "Done.", links: ["https://example.org/1"] });
}

/** Random texts that people might type, and that can break a file format. */
export const hostileText = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      '"},{"type":"end"}',
      "\\u0000",
      "a\nb\r\n\tc",
      "'; DROP TABLE apps;--",
      "\u2028\u2029\ufeff",
    ),
  )
  .map((text) => text.replace(/\0/g, ""));

/** How an import changes lines: tests end, and approvals that nobody has carried out expire. */
export function asImported(lines: readonly Line[]): Line[] {
  const done = new Set(lines.filter(({ outcomeStatus }) => outcomeStatus).map(({ runId }) => runId));
  const changed = lines.map((line): Line => {
    if (line.type === "cycle" && /recruiting|running/.test(String(line.status)))
      return { ...line, status: "cancelled" };
    if (line.type === "slot" && line.status === "requested")
      return { ...line, status: "open", tester: null, requestExpiresAt: null };
    if (line.type === "slot" && /active|at_risk/.test(String(line.status)))
      return { ...line, status: "removed", endedAt: "at the import" };
    if (line.type === "run" && line.status === "approved" && !done.has(line.id))
      return { ...line, status: "rejected", decision: "expired", decidedAt: "at the import" };
    return line;
  });
  return withoutUnnamed(changed);
}

/** It removes the people that no line names any more. */
function withoutUnnamed(lines: readonly Line[]): Line[] {
  const text = lines
    .filter(({ type }) => type !== "person")
    .map((line) => JSON.stringify(line))
    .join("\n");
  return lines.filter(({ type, id }) => type !== "person" || text.includes(String(id)));
}
