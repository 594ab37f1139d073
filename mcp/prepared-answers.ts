import { type Fields, hasOnly, isId, isObject, isText, jsonIn } from "../src/contract/json.ts";
import { patternOfText } from "../src/words/pattern.ts";
import {
  buildTimeAnswers,
  type Era,
  metaKeys,
  methodsThatList,
  placeholders,
  versions,
} from "./build-time-answers.ts";
import { longestWait, type McpOptions, offersWork } from "./options.ts";

/** Returns the answer to a line; `""` if the line needs no answer; undefined if the SDK must answer it. */
export type AnswerOf = (line: string) => string | undefined;

/**
 * Returns a function that answers the first messages of one client like the SDK. For other messages, the
 * function returns undefined.
 */
export function preparedAnswers(options: McpOptions): AnswerOf {
  const answers = buildTimeAnswers[offersWork(options) ? "work" : options.readOnly ? "readOnly" : "all"];
  let era: FirstMessage["era"] | undefined;

  return (line) => {
    const opening = firstMessageIn(line);
    if (!opening || (era ?? opening.era) !== opening.era) return undefined;
    const begins = opening.method === "initialize";
    if (opening.era === "legacy" && begins !== (era === undefined)) return undefined;
    if (opening.id === undefined) return "";
    const text = answers[opening.era][opening.method];
    if (text === undefined) return undefined;
    era = opening.era;
    return filledIn(text, opening, options);
  };
}

function filledIn(text: string, { id, version }: FirstMessage, options: McpOptions): string {
  const values: Record<string, string> = {
    [JSON.stringify(placeholders.id)]: JSON.stringify(id),
    [JSON.stringify(placeholders.options.version)]: JSON.stringify(options.version),
    [JSON.stringify(placeholders.options.baseUrl)]: JSON.stringify(options.consoleUrl ?? options.baseUrl),
    [`"protocolVersion":"${versions.legacy[0]}"`]: `"protocolVersion":"${version}"`,
    [`up to ${placeholders.options.maxWaitSeconds}; a greater`]: `up to ${longestWait(options)}; a greater`,
  };
  // All placeholders are replaced in one step. So a value that contains the text of a placeholder stays unchanged.
  return text.replace(filledPlaceholders, (found) => values[found] ?? found);
}

const filledPlaceholders = new RegExp(
  [
    JSON.stringify(placeholders.id),
    JSON.stringify(placeholders.options.version),
    JSON.stringify(placeholders.options.baseUrl),
    `"protocolVersion":"${versions.legacy[0]}"`,
    `up to ${placeholders.options.maxWaitSeconds}; a greater`,
  ]
    .map(patternOfText)
    .join("|"),
  "g",
);

/** One of the first messages of a client, in a form that the SDK accepts. */
interface FirstMessage {
  readonly era: Era;
  readonly method: string;
  /** The id of the request. A notification has none. */
  readonly id?: string | number;
  readonly version?: string;
}

const listed: ReadonlySet<unknown> = new Set(methodsThatList);

const legacyVersions: ReadonlySet<unknown> = new Set(versions.legacy);

/** Reads a line. Returns undefined for any message with unusual fields, because the SDK must handle it. */
function firstMessageIn(line: string): FirstMessage | undefined {
  const message = jsonIn(line);
  if (!isObject(message) || message.jsonrpc !== "2.0") return undefined;
  if (!hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { id, method, params = {} } = message;
  if (typeof method !== "string" || !isObject(params)) return undefined;
  if (method === "notifications/initialized")
    return isEmpty(params) && !("id" in message) ? { era: "legacy", method } : undefined;
  if (!isId(id)) return undefined;
  if (method === "initialize") return initializeIn(id, params);
  if (listed.has(method) && isEmpty(params)) return { era: "legacy", method, id };
  if (!listed.has(method) && method !== "server/discover") return undefined;
  return hasEnvelope(params) ? { era: "modern", method, id } : undefined;
}

function initializeIn(id: string | number, params: Fields): FirstMessage | undefined {
  if (!hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return undefined;
  const { protocolVersion: version, capabilities, clientInfo } = params;
  if (typeof version !== "string" || !legacyVersions.has(version)) return undefined;
  if (!isClient(clientInfo) || !areCapabilities(capabilities)) return undefined;
  return { era: "legacy", method: "initialize", id, version };
}

function hasEnvelope(params: Fields): boolean {
  const { _meta: meta } = params;
  return hasOnly(params, ["_meta"]) && isObject(meta) && isEnvelope(meta);
}

const modernVersions: ReadonlySet<unknown> = new Set(versions.modern);

/** Whether `_meta` of a request without a session has exactly the required fields, in a form that the SDK accepts. */
export function isEnvelope(meta: Fields): boolean {
  if (!hasOnly(meta, Object.values(metaKeys)) || !modernVersions.has(meta[metaKeys.version])) return false;
  return isClient(meta[metaKeys.client]) && areCapabilities(meta[metaKeys.capabilities]);
}

/** Whether a value describes a client, in a form that the SDK accepts. */
function isClient(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, ["name", "title", "version", "websiteUrl", "description"]))
    return false;
  return "name" in value && "version" in value && Object.values(value).every(isText);
}

/** Whether a value lists the capabilities of a client, in a form that the SDK accepts. */
function areCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, capability]) => {
    if (!isObject(capability)) return false;
    if (name === "roots")
      return (
        hasOnly(capability, ["listChanged"]) &&
        Object.values(capability).every((value) => typeof value === "boolean")
      );
    if (name === "sampling") return hasOnly(capability, ["context", "tools"]) && hasOnlyEmpty(capability);
    if (name === "elicitation") return hasOnly(capability, ["form", "url"]) && hasOnlyEmpty(capability);
    return (name === "experimental" || name === "extensions") && hasOnlyEmpty(capability);
  });
}

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

/** Whether every field is an empty object. */
const hasOnlyEmpty = (fields: Fields): boolean =>
  Object.values(fields).every((value) => isObject(value) && isEmpty(value));
