import type { Links } from "../links.ts";

/** The kinds of objects to which a form can belong. */
export type ObjectKind = "thread" | "faq" | "note" | "cycle" | "listing";

/** The object to which a form belongs. */
export interface FormObject {
  readonly kind: ObjectKind;
  readonly appId: string;
  readonly id: string;
}

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Returns the object to which the form with this address belongs; undefined if the form belongs to no object. */
export function objectOfForm(form: string, links: Links): FormObject | undefined {
  const places: readonly (readonly [ObjectKind, (appId: string, id: string) => string])[] = [
    ["thread", links.thread],
    ["faq", links.faq],
    ["note", links.entry],
    ["cycle", links.cycle],
    ["listing", links.listing],
  ];
  for (const [kind, at] of places) {
    const found = new RegExp(`^${at(`(${id})`, `(${id})`)}(?:[/?]|$)`, "i").exec(form);
    const [, appId, objectId] = found ?? [];
    if (appId && objectId) return { kind, appId, id: objectId.toLowerCase() };
  }
  return undefined;
}
