import { metaKeys, listed as methodsThatList, versions } from "./placeholders.ts";

/** One of the first messages of a client, in a form that the SDK accepts. */
export interface FirstMessage {
  readonly era: "legacy" | "modern";
  readonly method: string;
  /** Missing in a notification. */
  readonly id?: string | number;
  readonly version?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const listed: ReadonlySet<unknown> = new Set(methodsThatList);
const legacyVersions: ReadonlySet<unknown> = new Set(versions.legacy);
const modernVersions: ReadonlySet<unknown> = new Set(versions.modern);

/** Reads a line. Undefined for anything unusual, which the SDK must handle. */
export function firstMessageIn(line: string): FirstMessage | undefined {
  const message = parsed(line);
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
  if (!hasOnly(params, ["_meta"]) || !isObject(meta) || !hasOnly(meta, Object.values(metaKeys))) return false;
  if (!modernVersions.has(meta[metaKeys.version])) return false;
  return isClient(meta[metaKeys.client]) && areCapabilities(meta[metaKeys.capabilities]);
}

function isClient(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, ["name", "title", "version", "websiteUrl", "description"]))
    return false;
  return "name" in value && "version" in value && Object.values(value).every(isText);
}

function areCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, capability]) => {
    if (!isObject(capability)) return false;
    if (name === "roots")
      return hasOnly(capability, ["listChanged"]) && Object.values(capability).every(isFlag);
    if (name === "sampling") return hasOnly(capability, ["context", "tools"]) && holdsEmpty(capability);
    if (name === "elicitation") return hasOnly(capability, ["form", "url"]) && holdsEmpty(capability);
    return (name === "experimental" || name === "extensions") && holdsEmpty(capability);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;
const holdsEmpty = (fields: Fields): boolean =>
  Object.values(fields).every((value) => isObject(value) && isEmpty(value));
const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isId = (value: unknown): value is string | number =>
  typeof value === "string" || Number.isSafeInteger(value);
