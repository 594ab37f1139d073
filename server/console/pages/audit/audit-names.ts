import type { AuditEntry } from "../../../../src/contract/console/audit.ts";
import {
  findTargets,
  isTargetKind,
  recordedLabels,
  type TargetKind,
} from "../../../store/access/audit-targets.ts";
import type { Reader } from "../../../store/engine/database.ts";
import type { Links } from "../../links.ts";

/** The name of the thing that an entry is about, and its page; undefined after its deletion. */
export interface NamedTarget {
  readonly name: string;
  readonly href: string | undefined;
}

/** The things that these entries tell of, by their ids. One query for each kind of thing. */
export async function targetsOf(
  reader: Reader,
  entries: readonly AuditEntry[],
  links: Links,
): Promise<ReadonlyMap<string, NamedTarget>> {
  const named = new Map<string, NamedTarget>();
  for (const kind of new Set(entries.map(kindOf))) {
    const ofKind = entries.filter((entry) => kindOf(entry) === kind);
    const ids = [...new Set(ofKind.flatMap(({ target }) => target ?? []))];
    if (!isTargetKind(kind) || ids.length === 0) continue;
    const apps = new Map(ofKind.map(({ target, appId }) => [target, appId]));
    for (const { id, name, seenAt } of await findTargets(reader, kind, ids))
      named.set(id, { name, href: hrefOf(links, kind, { appId: apps.get(id) ?? null, id: seenAt }) });
  }
  const gone = entries.filter((entry) => labelled.has(kindOf(entry)) && !named.has(entry.target ?? ""));
  const labels = await labelsOf(reader, "deleted", new Set(gone.flatMap(({ target }) => target ?? [])));
  for (const [id, name] of labels) named.set(id, { name, href: undefined });
  return named;
}

/** Kinds of things whose label the audit keeps when they are deleted. */
const labelled = new Set(["token", "key"]);

/** The label of a token, and whether the token was revoked since. */
export interface NamedToken {
  readonly label: string;
  readonly revoked: boolean;
}

/** The tokens with which these entries were made, by their ids; not those that were revoked before labels were recorded. */
export async function tokensOf(
  reader: Reader,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, NamedToken>> {
  const ids = new Set(entries.flatMap(({ actor }) => actorParts(actor).tokenId ?? []));
  const live = await labelsOf(reader, "live", ids);
  const gone = await labelsOf(reader, "deleted", new Set([...ids].filter((id) => !live.has(id))));
  const named = new Map<string, NamedToken>();
  for (const [id, label] of live) named.set(id, { label, revoked: false });
  for (const [id, label] of gone) named.set(id, { label, revoked: true });
  return named;
}

async function labelsOf(reader: Reader, which: "live" | "deleted", ids: ReadonlySet<string>) {
  if (ids.size === 0) return new Map<string, string>();
  const rows =
    which === "live" ? await findTargets(reader, "token", [...ids]) : await recordedLabels(reader, [...ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An actor as it is recorded: `ada@example.org`, or `ada@example.org, token <id>`. */
export function actorParts(actor: string): { readonly name: string; readonly tokenId?: string } {
  const [, name, tokenId] = /^(.*), token ([\da-f-]{36})$/.exec(actor) ?? [];
  return name === undefined || tokenId === undefined ? { name: actor } : { name, tokenId };
}

const kindOf = ({ action }: AuditEntry): string => action.split(".", 1)[0] ?? "";

function hrefOf(
  links: Links,
  kind: TargetKind,
  { appId, id }: { readonly appId: string | null; readonly id: string },
): string | undefined {
  if (kind === "token") return links.tokens;
  if (appId === null) return undefined;
  switch (kind) {
    case "faq":
      return links.faq(appId, id);
    case "changelog":
      return links.entry(appId, id);
    case "key":
      return links.app(appId);
    case "listing":
      return links.listing(appId, id);
    default:
      return links.thread(appId, id);
  }
}
