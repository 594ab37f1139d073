import { limits } from "../../../src/contract/limits.ts";
import { browserName } from "../../access/sign-in/rules.ts";
import type { Deps } from "../../deps.ts";
import type { Browser, ConsoleCaller } from "../../http/handler.ts";
import { type DraftRow, drafts } from "./store.ts";

/** The unsent text of one field, as its person reads it. */
export interface Draft {
  readonly id: string;
  readonly page: string;
  readonly form: string;
  readonly field: string;
  readonly writer: string;
  readonly text: string;
  /** The version of the value that the field had before the typing; empty if the form has no version. */
  readonly was: string;
  /** The name of the browser. */
  readonly browser: string | null;
  readonly updatedAt: string;
}

export type TypedField = Pick<Draft, "field" | "text" | "was">;

/** All unsent text in one form of one opened page. */
export interface TypedForm {
  readonly page: string;
  readonly form: string;
  readonly writer: string;
  readonly fields: readonly TypedField[];
  /** The writers (opened pages) whose text of this form it replaces. */
  readonly replaces: readonly string[];
}

/** A form that was done. */
export interface DoneForm {
  readonly form: string;
  readonly writer: string;
  /** The texts that were sent, by their fields. */
  readonly sent: ReadonlyMap<string, string>;
}

type DraftsDeps = Pick<Deps, "database" | "limiter" | "newId" | "sealer" | "settings">;

/** Reads and changes the drafts of one signed-in person at the time `now`. */
export const createPageDrafts =
  (deps: DraftsDeps) =>
  ({ userId }: Pick<ConsoleCaller, "userId">, browser: Pick<Browser, "userAgent">, now: Date) => {
    const { database, limiter, newId, sealer, settings } = deps;
    return {
      /** All texts, newest first. */
      list: async (): Promise<Draft[]> => opened(sealer, await drafts.list(database, userId)),

      /** The texts that were typed on a page, or into one of these forms, newest first. */
      listOfPage: async (page: string, forms: readonly string[]): Promise<Draft[]> =>
        opened(sealer, await drafts.listOfPage(database, userId, { page, forms })),

      /** Replaces the texts of one form of an opened page. Throws `rate_limited`. */
      async save({ page, form, writer, fields, replaces }: TypedForm): Promise<void> {
        if (settings.rateLimited) await limiter.spend({ who: userId, rateLimit: "drafts" });
        const from = browserName(browser.userAgent);
        const byField = new Map(fields.map((typed) => [typed.field, typed]));
        const rows = [...byField.values()].map(({ field, text, was }) => ({
          ...{ id: newId(), page, form, field, writer, updatedAt: now.toISOString() },
          content: sealer.seal(JSON.stringify({ text, was, from })),
        }));
        await database.write(async (tx) => {
          // A page that the person leaves may save twice at the same time.
          await tx.lock(`drafts:${userId}`);
          for (const each of [writer, ...replaces])
            await drafts.removeOfWriter(tx, { userId, form, writer: each });
          for (const row of rows) await drafts.insert(tx, userId, row);
          await drafts.trim(tx, userId, limits.drafts);
        });
      },

      /** Removes one; false if the person has no such draft. */
      remove: (id: string): Promise<boolean> => database.write((tx) => drafts.remove(tx, userId, id)),

      /** Removes the sent texts: those of the page that sent them, and equal texts of other pages. */
      async removeSent({ form, writer, sent }: DoneForm): Promise<void> {
        const kept = opened(sealer, await drafts.listOfPage(database, userId, { page: "", forms: [form] }));
        const over = kept.filter(
          (draft) =>
            sent.has(draft.field) && (draft.writer === writer || draft.text === sent.get(draft.field)),
        );
        if (over.length === 0) return;
        await database.write(async (tx) => {
          for (const { id } of over) await drafts.remove(tx, userId, id);
        });
      },
    };
  };

export type PageDrafts = ReturnType<ReturnType<typeof createPageDrafts>>;

/** Decrypts the texts. Leaves out a text that was sealed with a lost secret. */
const opened = (sealer: DraftsDeps["sealer"], rows: readonly DraftRow[]): Draft[] =>
  rows.flatMap(({ content, ...row }) => {
    const read = contentOf(sealer, content);
    return read ? [{ ...row, ...read }] : [];
  });

function contentOf(
  sealer: DraftsDeps["sealer"],
  sealed: string,
): Pick<Draft, "text" | "was" | "browser"> | undefined {
  try {
    const { text, was, from } = JSON.parse(sealer.open(sealed));
    return { text: String(text), was: String(was), browser: typeof from === "string" ? from : null };
  } catch {
    return undefined;
  }
}
