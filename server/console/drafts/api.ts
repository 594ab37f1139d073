import { limits } from "../../../src/contract/limits.ts";
import { browserName } from "../../access/sign-in/rules.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { numberThreads } from "../../feedback/threads/store/threads.ts";
import type { Browser, ConsoleCaller } from "../../http/handler.ts";
import { type FormObject, fieldVersion } from "../forms.tsx";
import { type DraftRow, drafts, type NamedObject, type NamedSender } from "./store.ts";

/** The unsent text of one field. Only the person who typed the text can read it. */
export interface Draft {
  readonly id: string;
  readonly page: string;
  readonly form: string;
  readonly field: string;
  /** The id of the opened page on which the text was typed. */
  readonly writer: string;
  readonly text: string;
  /**
   * The version (a hash) of the field's value before the person typed. Empty if the form contains no versions.
   */
  readonly was: string;
  /** The choice that belongs to the text, such as the receiver of a reply. Null if there was none. */
  readonly choice: string | null;
  /** The name of the browser. */
  readonly browser: string | null;
  readonly updatedAt: string;
}

export type { NamedObject, NamedSender };

export type TypedField = Pick<Draft, "field" | "text" | "was" | "choice">;

/** The unsent texts of one form on one opened page. */
export interface TypedForm {
  readonly page: string;
  readonly form: string;
  readonly writer: string;
  readonly fields: readonly TypedField[];
  /** The opened pages (writers) whose texts this text replaces. A later save of these writers stores nothing. */
  readonly replaces: readonly string[];
}

/** A sent form whose action the server has done. */
export interface DoneForm {
  readonly form: string;
  readonly writer: string;
  /** The writers (opened pages) whose texts this page has taken over. */
  readonly replaces: readonly string[];
  /** The texts that were sent, by field. */
  readonly sent: ReadonlyMap<string, string>;
}

type DraftsDeps = Pick<Deps, "database" | "limiter" | "newId" | "sealer" | "settings">;

/** Creates the functions that read and change the drafts of one signed-in person at the time `now`. */
export const createPageDrafts =
  (deps: DraftsDeps) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, browser: Pick<Browser, "userAgent">, now: Date) => {
    const { database, limiter, newId, sealer, settings } = deps;
    const updatedAt = now.toISOString();
    const endWriters = async (tx: Transaction, form: string, writers: readonly string[]) => {
      for (const writer of new Set(writers)) {
        const owner = { userId, form, writer };
        const texts = opened(sealer, await drafts.ofWriter(tx, owner));
        const taken = Object.fromEntries(texts.map(({ field, text }) => [field, fieldVersion(text)]));
        const content = (await drafts.markOf(tx, owner)) ?? sealer.seal(JSON.stringify({ taken }));
        await drafts.endWriter(tx, owner, { id: newId(), page: "", content, updatedAt });
      }
    };
    return {
      /** Returns the senders of these reports by report id. Leaves out reports that the person may not read. */
      async senders(reportIds: readonly string[]): Promise<ReadonlyMap<string, NamedSender>> {
        const found = await drafts.senders(database, userId, [...new Set(reportIds)]);
        return new Map(found.map((sender) => [sender.id, sender]));
      },

      /** Returns all drafts, newest first. */
      list: async (): Promise<Draft[]> => opened(sealer, await drafts.list(database, userId)),

      /** Returns the names of these objects by id. Leaves out objects that the person may not read. */
      async named(wanted: readonly FormObject[]): Promise<ReadonlyMap<string, NamedObject>> {
        const found = new Map<string, NamedObject>();
        for (const kind of new Set(wanted.map((one) => one.kind))) {
          const ofKind = wanted.filter((one) => one.kind === kind);
          // The ids of the apps come from the browser, so they may be ids of apps of other people.
          const appIds = kind === "thread" ? [...new Set(ofKind.map((one) => one.appId))] : [];
          for (const appId of await drafts.appsOf(database, userId, appIds))
            await numberThreads(database, appId);
          const ids = [...new Set(ofKind.map(({ id }) => id))];
          for (const named of await drafts.named(database, userId, { kind, ids })) found.set(named.id, named);
        }
        return found;
      },

      /** Returns the drafts that were typed on a page or in one of these forms, newest first. */
      listOfPage: async (page: string, forms: readonly string[]): Promise<Draft[]> =>
        opened(sealer, await drafts.listOfPage(database, userId, { page, forms })),

      /**
       * Stores the texts of one form. Ends the writers (opened pages) in `replaces`. An ended writer can store
       * nothing. Throws `rate_limited`.
       */
      async save({ page, form, writer, fields, replaces }: TypedForm): Promise<"saved" | "ended" | "taken"> {
        if (settings.rateLimited) await limiter.spend({ who: userId, rateLimit: "drafts" });
        const from = browserName(browser.userAgent);
        const byField = new Map(fields.map((typed) => [typed.field, typed]));
        const rows = [...byField.values()].map(({ field, text, was, choice }) => ({
          ...{ id: newId(), page, form, field, writer, updatedAt },
          content: sealer.seal(JSON.stringify({ text, was, choice, from })),
        }));
        return database.write(async (tx) => {
          // The lock is needed because a page may save twice at the same time when the person leaves it.
          await tx.lock(`drafts:${userId}`);
          await endWriters(tx, form, replaces);
          const mark = await drafts.markOf(tx, { userId, form, writer });
          if (mark === undefined) {
            await drafts.removeOfWriter(tx, { userId, form, writer });
            for (const row of rows) await drafts.insert(tx, userId, row);
          }
          await drafts.trim(tx, userId, limits.drafts);
          if (mark === undefined) return "saved";
          // `taken` means that the writer had the same texts when the server ended the writer.
          return areTaken(sealer, mark, fields) ? "taken" : "ended";
        });
      },

      /** Removes the draft with this `id`. Returns false if the person has no draft with this `id`. */
      remove: (id: string): Promise<boolean> => database.write((tx) => drafts.remove(tx, userId, id)),

      /**
       * Removes drafts of the sent fields, if `writer` stored them or their text is the sent text. Ends the
       * writers (opened pages) in `replaces`.
       */
      async removeSent({ form, writer, replaces, sent }: DoneForm): Promise<void> {
        const kept = opened(sealer, await drafts.listOfPage(database, userId, { page: "", forms: [form] }));
        const over = kept.filter(
          (draft) =>
            sent.has(draft.field) && (draft.writer === writer || draft.text === sent.get(draft.field)),
        );
        if (over.length + replaces.length === 0) return;
        await database.write(async (tx) => {
          await tx.lock(`drafts:${userId}`);
          await endWriters(tx, form, replaces);
          for (const { id } of over) await drafts.remove(tx, userId, id);
        });
      },
    };
  };

export type PageDrafts = ReturnType<ReturnType<typeof createPageDrafts>>;

/**
 * Whether an ended writer (opened page) had the texts in `fields`. `mark` contains the versions of the
 * writer's texts.
 */
function areTaken(sealer: DraftsDeps["sealer"], mark: string, fields: readonly TypedField[]): boolean {
  try {
    const { taken = {} } = JSON.parse(sealer.open(mark));
    return fields.every(
      ({ field, text }) => Object.hasOwn(taken, field) && taken[field] === fieldVersion(text),
    );
  } catch {
    return false;
  }
}

/** Decrypts the drafts. Leaves out a draft that was encrypted with a secret that the server no longer has. */
const opened = (sealer: DraftsDeps["sealer"], rows: readonly DraftRow[]): Draft[] =>
  rows.flatMap(({ content, ...row }) => {
    const read = contentOf(sealer, content);
    return read ? [{ ...row, ...read }] : [];
  });

function contentOf(
  sealer: DraftsDeps["sealer"],
  sealed: string,
): Pick<Draft, "text" | "was" | "choice" | "browser"> | undefined {
  try {
    const { text, was, choice, from } = JSON.parse(sealer.open(sealed));
    return {
      text: String(text),
      was: String(was),
      choice: typeof choice === "string" ? choice : null,
      browser: typeof from === "string" ? from : null,
    };
  } catch {
    return undefined;
  }
}
