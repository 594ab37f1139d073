import type { Reader, Transaction } from "../../database/database.ts";
import type { Recording } from "../../feedback/proposals/store.ts";
import {
  authorColumns,
  deleteRow,
  endChangedProposal,
  eraseAudit,
  eraseMessage,
  eraseOriginal,
  eraseThread,
  lockAppOf,
  lockThreadOf,
  nameColumns,
  replaceTexts,
  textColumns,
} from "./erase.ts";
import {
  type Cells,
  findMentions,
  type Key,
  type Search,
  type SearchedTableName,
  searchedTable,
  searchedTables,
  takeMention,
} from "./find.ts";
import { type Effect, type ErasureCount, type ErasureScope, noEffect, type Person } from "./person.ts";

/** What a search counts. What else a receipt counts shows itself only when it is done. */
export type PreviewedCount = Exclude<ErasureCount, "files" | "reports" | "seats">;

/** A pass over one table. Passes run in their order; each finds what those before it have left. */
interface Pass {
  readonly table: SearchedTableName;
  readonly columns: readonly string[];
  readonly names?: readonly string[];
  readonly accounts?: readonly string[];
  readonly count: PreviewedCount;
  readonly apply: (tx: Transaction, person: Person, row: Cells) => Promise<Effect>;
  /** Before a row is read again. */
  readonly lock?: (tx: Transaction, key: Key) => Promise<void>;
  /** After a row was changed. It gets the row as it was. */
  readonly settle?: (
    tx: Transaction,
    changed: { readonly person: Person; readonly row: Cells },
    recording: Recording,
  ) => Promise<void>;
}

/** The tables that have a pass of their own alone. */
const found = new Set<string>([
  ...["audit", "imported_people", "invitations", "idempotency", "mail_addresses", "mail_originals"],
]);

/** First what the person sent and got, then what others wrote of the person. */
const passes: readonly Pass[] = [
  { table: "feedback", columns: ["sender_email"], count: "threads", apply: eraseThread },
  { table: "messages", columns: ["sender_email", "foreign_from"], count: "messages", apply: eraseMessage },
  deleting("mails", ["recipient"], "mails"),
  deleting("mail_addresses", ["recipient"], "mails"),
  deleting("imported_people", ["email"], "texts"),
  deleting("invitations", ["email"], "invitations"),
  deleting("blocked_senders", ["sender"], "mails"),
  { ...deleting("idempotency", ["body"], "answers"), names: ["key"] },
  { table: "audit", columns: textColumns("audit"), count: "audit", apply: eraseAudit },
  ...searchedTables
    .filter(({ name }) => !found.has(name))
    .map(({ name }) => replacing(name))
    .map((pass) =>
      pass.table === "runs" ? { ...pass, lock: lockThreadOf, settle: endChangedProposal } : pass,
    ),
  // At the end, because an erasure that an older version began counts the passes before.
  {
    ...{ table: "mail_originals", columns: textColumns("mail_originals"), count: "mails" },
    apply: eraseOriginal,
  },
];

/** What apps keep of the acts of an account that was deleted. Reports that its person sent are the owners' matter. */
const passesOfAccount: readonly Pass[] = [
  { table: "audit", columns: textColumns("audit"), count: "audit", apply: eraseAudit },
  replacing("tokens"),
  ...searchedTables.flatMap(({ name: table }): Pass[] => {
    const accounts = authorColumns(table);
    return accounts.length === 0
      ? []
      : [{ table, columns: [], accounts, count: "texts", apply: replaceTexts(table) }];
  }),
];

function deleting(table: SearchedTableName, columns: readonly string[], count: PreviewedCount): Pass {
  return { table, columns, count, apply: deleteRow(searchedTable(table), count) };
}

function replacing(table: SearchedTableName): Pass {
  const accounts = authorColumns(table);
  return {
    table,
    columns: textColumns(table),
    names: nameColumns(table),
    accounts,
    count: "texts",
    apply: replaceTexts(table),
  };
}

/** A change of these also changes their app. */
const contentLocks: Readonly<Partial<Record<SearchedTableName, Pass["lock"]>>> = {
  faqs: lockAppOf("faqs"),
  changelog_entries: lockAppOf("changelog_entries"),
};

/** How far an erasure is: the number of the pass, and the key after which it goes on. */
export interface Place {
  readonly pass: number;
  readonly after: Key | undefined;
  /** Only what apps keep of the acts of an account that was deleted. */
  readonly of?: "account" | undefined;
  /** How many servers have begun their work here. */
  readonly begun?: number | undefined;
}

export const firstPlace: Place = { pass: 0, after: undefined };
/** Where the passes of a person begin, each by itself. */
export const firstPlaces: readonly Place[] = passes.map((_, pass) => ({ pass, after: undefined }));
export const firstPlaceOfAccount: Place = { ...firstPlace, of: "account" };

const passAt = ({ pass, of }: Place): Pass | undefined => (of === "account" ? passesOfAccount : passes)[pass];

/** What is found at a place, and the next one. */
export interface FoundThere {
  readonly table: string;
  readonly count: PreviewedCount;
  readonly keys: readonly Key[];
  readonly next: Place;
}

export interface Erasing {
  readonly person: Person;
  readonly scope: ErasureScope;
}

/** Looks for the person at a place; undefined after the last one. */
export async function findAt(
  reader: Reader,
  { person, scope }: Erasing,
  place: Place,
): Promise<FoundThere | undefined> {
  const pass = passAt(place);
  if (!pass) return undefined;
  const { keys, next } = await findMentions(reader, searchOf(pass, scope), { person, after: place.after });
  return {
    table: pass.table,
    count: pass.count,
    keys,
    next:
      next === undefined
        ? { pass: place.pass + 1, after: undefined, of: place.of }
        : { pass: place.pass, after: next, of: place.of },
  };
}

/** Erases what was found at a place. What has changed since is looked at again. */
export async function eraseAt(
  tx: Transaction,
  { person, scope, newId, now }: Erasing & Recording,
  { place, keys }: { readonly place: Place; readonly keys: readonly Key[] },
): Promise<Effect[]> {
  const pass = passAt(place);
  if (!pass) return [noEffect];
  const effects: Effect[] = [];
  for (const key of keys) {
    await (pass.lock ?? contentLocks[pass.table])?.(tx, key);
    const row = await takeMention(tx, searchOf(pass, scope), { person, key });
    if (!row) continue;
    effects.push(await pass.apply(tx, person, row));
    await pass.settle?.(tx, { person, row }, { newId, now });
  }
  return effects;
}

const searchOf = ({ table, columns, names = [], accounts = [] }: Pass, scope: ErasureScope): Search => ({
  table: searchedTable(table),
  columns: { texts: columns, names, accounts },
  scope,
});
