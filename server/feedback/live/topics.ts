import {
  answeringTopic,
  credentialsTopic,
  everyTopic,
  sessionsTopic,
  slotsTopic,
  threadsTopic,
} from "../../database/signals.ts";
import type { Change } from "./rules.ts";
import type { Place } from "./store.ts";

/**
 * The topic for new entries in the sequence of thread changes. It comes from the thread watch. The database never
 * signals it.
 */
export const threadsChanged = "thread:";

/** For each name of a topic: the kind of change, and the statement that finds the app. */
const places: ReadonlyMap<string, { readonly kind: Change["kind"]; readonly place: Place }> = new Map([
  [partsOf(threadsChanged).name, { kind: "thread", place: "thread" }],
  [partsOf(answeringTopic("")).name, { kind: "answering", place: "thread" }],
  ["run", { kind: "proposal", place: "proposal" }],
  ["listing", { kind: "testing", place: "listing" }],
  ["cycle", { kind: "testing", place: "cycle" }],
  ["seat", { kind: "testing", place: "slot" }],
]);

/** Returns the parts of a topic such as `thread:ID`. */
export function partsOf(topic: string): { readonly name: string; readonly id: string } {
  const at = topic.indexOf(":");
  return at < 0 ? { name: topic, id: "" } : { name: topic.slice(0, at), id: topic.slice(at + 1) };
}

/** Returns the kind of change of a topic, and the statement that finds its app. */
export const placeIn = (topic: string) => places.get(partsOf(topic).name);

export const meansEverything = (topic: string): boolean =>
  [everyTopic, threadsTopic, slotsTopic].includes(topic);

export const mayChangeThreads = (topic: string): boolean => partsOf(topic).name === "thread";

/** Whether a session may have ended, or a membership may have changed. */
export const changesRights = (topic: string): boolean =>
  [everyTopic, credentialsTopic, sessionsTopic].includes(topic) ||
  ["access", "user"].includes(partsOf(topic).name);

/** Whether a topic may lead to an event or to the end of a connection. */
export const isOfInterest = (topic: string): boolean =>
  meansEverything(topic) ||
  changesRights(topic) ||
  mayChangeThreads(topic) ||
  ["app", "lists"].includes(partsOf(topic).name) ||
  placeIn(topic) !== undefined;
