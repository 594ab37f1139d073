import type { AuditEntry, audit as contract } from "../../../src/contract/audit.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { type Handlers, idPart, instantPart, pageOf, readCursor } from "../../http/handler.ts";
import { findTargets, isTargetKind, recordedLabels, audit as rows, type TargetKind } from "./store.ts";

export const audit = ({ database }: Pick<Deps, "database">): Handlers<typeof contract> => ({
  async list({ caller, query }) {
    const limit = query.limit ?? limits.listPage.default;
    const position = readCursor(query.cursor, [instantPart, idPart]);
    const { appId, action, actor, from, to } = query;
    const filters = { appId, action, actor, from, to };
    const entries = await rows.list(database, caller, { ...filters, position, limit: limit + 1 });
    return pageOf(entries, limit, ({ at, id }) => [at, id]);
  },
});

/** The object that an audit entry is about. */
export interface NamedTarget {
  readonly name: string;
  /** Says which page of the console shows the target. Undefined if the target was deleted. */
  readonly location:
    | { readonly kind: TargetKind; readonly appId: string | null; readonly id: string }
    | undefined;
}

/** Returns the targets of audit entries, by id. Makes one query for each kind, and one for deleted targets. */
export async function namedTargets(
  reader: Reader,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, NamedTarget>> {
  const named = new Map<string, NamedTarget>();
  for (const kind of new Set(entries.map(kindOf))) {
    const ofKind = entries.filter((entry) => kindOf(entry) === kind);
    const ids = [...new Set(ofKind.flatMap(({ target }) => target ?? []))];
    if (!isTargetKind(kind) || ids.length === 0) continue;
    const apps = new Map(ofKind.map(({ target, appId }) => [target, appId]));
    for (const { id, name, locationId } of await findTargets(reader, kind, ids))
      named.set(id, { name, location: { kind, appId: apps.get(id) ?? null, id: locationId } });
  }
  const deleted = entries.filter((entry) => keepLabel.has(kindOf(entry)) && !named.has(entry.target ?? ""));
  const labels = await labelsOf(reader, "deleted", new Set(deleted.flatMap(({ target }) => target ?? [])));
  for (const [id, name] of labels) named.set(id, { name, location: undefined });
  return named;
}

/**
 * The kinds of targets whose labels audit entries contain. The audit log shows the labels of deleted targets.
 */
const keepLabel = new Set(["token", "connection", "key", "tag", "saved_reply", "view"]);

/** A token with which an action was done. */
export interface NamedToken {
  readonly label: string;
  readonly revoked: boolean;
}

/**
 * Returns the tokens that did the actions of audit entries, by id. Revoked tokens without a recorded label are missing.
 */
export async function namedTokens(
  reader: Reader,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, NamedToken>> {
  const ids = new Set(entries.flatMap(({ actor }) => actorParts(actor).tokenId ?? []));
  const live = await labelsOf(reader, "live", ids);
  const deleted = await labelsOf(reader, "deleted", new Set([...ids].filter((id) => !live.has(id))));
  const named = new Map<string, NamedToken>();
  for (const [id, label] of live) named.set(id, { label, revoked: false });
  for (const [id, label] of deleted) named.set(id, { label, revoked: true });
  return named;
}

async function labelsOf(reader: Reader, which: "live" | "deleted", ids: ReadonlySet<string>) {
  if (ids.size === 0) return new Map<string, string>();
  const rows =
    which === "live" ? await findTargets(reader, "token", [...ids]) : await recordedLabels(reader, [...ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Splits an actor, such as `ada@example.org, token <id>`. Without a token, `name` is the whole text. */
export function actorParts(actor: string): { readonly name: string; readonly tokenId?: string } {
  const [, name, tokenId] = /^(.*), token ([\da-f-]{36})$/.exec(actor) ?? [];
  return name === undefined || tokenId === undefined ? { name: actor } : { name, tokenId };
}

const kindOf = ({ action }: AuditEntry): string => action.split(".", 1)[0] ?? "";
