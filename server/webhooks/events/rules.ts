import type { AppEvent } from "../../../src/contract/events.ts";
import { type Fields, fieldsOf } from "../../../src/contract/json.ts";

interface Stored {
  readonly id: string;
  readonly appId: string;
  readonly type: string;
  readonly subjectId: string;
  /** The facts of the event, as a JSON object. */
  readonly facts: string;
  readonly createdAt: string;
}

/** Returns an event as receivers get it. Its link begins with `consoleUrl`, the address of the console. (rule O25) */
export function eventAnswer(event: Stored, consoleUrl: string): AppEvent {
  const { id, appId, type, subjectId, createdAt } = event;
  const name = subjectNameOf(type);
  const data = { appId, ...(name === undefined ? {} : { [name]: subjectId }), ...factsOf(event) };
  return { id, type, timestamp: createdAt, data: { ...data, url: consoleUrl + pathOf(type, data) } };
}

export const factsOf = ({ facts }: Pick<Stored, "facts">): Fields => fieldsOf(JSON.parse(facts));

function subjectNameOf(type: string): string | undefined {
  if (type === "changelog.published") return "entryId";
  if (type === "faq.changed") return undefined;
  if (type === "webhook.test") return "webhookId";
  return subjectNames[type.split(".")[0] ?? ""];
}

const subjectNames: Readonly<Record<string, string>> = {
  feedback: "feedbackId",
  run: "runId",
  seat: "slotId",
  day: "slotId",
  cycle: "cycleId",
};

/** Returns the path of the page of the console that shows the subject of an event. */
function pathOf(type: string, { appId, feedbackId, entryId, cycleId }: Fields): string {
  if (feedbackId !== undefined) return `/feedback/${appId}/${feedbackId}`;
  if (cycleId !== undefined) return `/cycles/${appId}/${cycleId}`;
  if (entryId !== undefined) return `/changelog/${appId}/${entryId}`;
  return type === "faq.changed" ? `/faqs/${appId}` : `/webhooks/${appId}`;
}

/** Returns the body of the message to a receiver. */
export const bodyOf = ({ type, timestamp, data }: AppEvent, texts?: object): string =>
  JSON.stringify({ type, timestamp, data: texts === undefined ? data : { ...data, texts } });
