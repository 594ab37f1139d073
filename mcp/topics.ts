import type { Topics } from "../src/programs.ts";
import { at, isText, listAt } from "./json.ts";

/** What a client can follow, as it reads it. */
const queueUri = "innkeep://queue";
const runUri = /^innkeep:\/\/runs\/([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i;

/** How many resources one stream follows, at most. The others are left out. */
const mostUris = 100;

/** The topic that a resource stands for: the id of a proposal, or `queue`. Undefined for all others. */
export const topicOf = (uri: string): string | undefined =>
  uri === queueUri ? "queue" : runUri.exec(uri)?.[1]?.toLowerCase();

export function topicsOf(uris: readonly string[]): Topics {
  const topics = uris.flatMap((uri) => topicOf(uri) ?? []);
  return {
    runIds: [...new Set(topics)].filter((topic) => topic !== "queue"),
    queue: topics.includes("queue"),
  };
}

/** The resources that a request asks to follow, as far as they can be followed; undefined for any other message. */
export function urisIn(message: unknown): string[] | undefined {
  if (at(message, "method") !== "subscriptions/listen") return undefined;
  const uris = listAt(at(at(message, "params"), "notifications"), "resourceSubscriptions").filter(isText);
  return [...new Set(uris)].filter((uri) => topicOf(uri) !== undefined).slice(0, mostUris);
}

/** Leaves only these resources in a request. */
export function limitTo(message: unknown, uris: readonly string[]): void {
  const asked = at(at(at(message, "params"), "notifications"), "resourceSubscriptions");
  if (Array.isArray(asked)) asked.splice(0, asked.length, ...uris);
}
