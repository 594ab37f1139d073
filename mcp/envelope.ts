import { metaKeys, versions } from "./build-time-answers.ts";
import { isText } from "./json.ts";
import { type Fields, hasOnly, holdsEmpty, isFlag, isObject } from "./json-shape.ts";

const modernVersions: ReadonlySet<unknown> = new Set(versions.modern);

/** Whether a request that stands alone says of itself what it must, in a form that the SDK certainly accepts. */
export function isEnvelope(meta: Fields): boolean {
  if (!hasOnly(meta, Object.values(metaKeys)) || !modernVersions.has(meta[metaKeys.version])) return false;
  return isClient(meta[metaKeys.client]) && areCapabilities(meta[metaKeys.capabilities]);
}

/** Whether a client says who it is, in such a form. */
export function isClient(value: unknown): boolean {
  if (!isObject(value) || !hasOnly(value, ["name", "title", "version", "websiteUrl", "description"]))
    return false;
  return "name" in value && "version" in value && Object.values(value).every(isText);
}

/** Whether a client says what it can do, in such a form. */
export function areCapabilities(value: unknown): boolean {
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
