import { limits } from "../../../src/contract/limits.ts";
import { emailOf, nameOf } from "../../access/members/authors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/content.ts";

/** The FAQ entry or the release note to which an earlier text belongs. */
export type VersionOf = { readonly faqId: string } | { readonly entryId: string };

/** An earlier published text. */
export interface VersionRow {
  readonly id: string;
  readonly content: string;
  readonly at: string;
  /** The address of the account that wrote the text; null if it is not known. */
  readonly by: string | null;
  readonly byName: string | null;
}

const columnOf = (of: VersionOf): "faq_id" | "entry_id" => ("faqId" in of ? "faq_id" : "entry_id");
const idOf = (of: VersionOf): string => ("faqId" in of ? of.faqId : of.entryId);

const columns = `v.id, v.content, v.at, ${emailOf("v.written_by")} AS by,
  ${nameOf("v.written_by", "v.app_id")} AS "byName"`;

/** The earlier texts of FAQ entries and release notes. */
export const versions = {
  /**
   * Stores a text that is being replaced. If there are more texts than the limit, it deletes the oldest ones. (rule
   * C31)
   */
  async keep(
    tx: Transaction,
    of: VersionOf,
    version: {
      readonly id: string;
      readonly appId: string;
      readonly content: string;
      readonly at: string;
      readonly writtenBy: string | null;
    },
  ): Promise<void> {
    await tx.insert(tables.contentVersions, { ...version, ...of });
    const column = columnOf(of);
    await tx.run(
      `DELETE FROM content_versions WHERE ${column} = ? AND id NOT IN (
         SELECT id FROM content_versions WHERE ${column} = ? ORDER BY id DESC LIMIT ${limits.contentVersions})`,
      idOf(of),
      idOf(of),
    );
  },

  /** Returns the earlier texts, newest first. */
  list: (reader: Reader, of: VersionOf): Promise<VersionRow[]> =>
    reader.all<VersionRow>(
      `SELECT ${columns} FROM content_versions v WHERE v.${columnOf(of)} = ? ORDER BY v.id DESC`,
      idOf(of),
    ),

  find: (reader: Reader, of: VersionOf, id: string): Promise<VersionRow | undefined> =>
    reader.get<VersionRow>(
      `SELECT ${columns} FROM content_versions v WHERE v.${columnOf(of)} = ? AND v.id = ?`,
      idOf(of),
      id,
    ),
};
