import { placesOf } from "../../client/body.ts";
import type { Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { type Column, printList } from "../core/output.ts";
import { noteIncomplete } from "./items-by-server.ts";
import type { Spool } from "./spool.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";

interface KeptRow {
  readonly id: string;
  readonly createdAt: string;
  readonly baseUrl: string;
  readonly type: unknown;
  readonly subject: string;
  readonly files: readonly string[];
  readonly outcome: string | null;
  readonly why: string | null;
}

/** Shows the reports that no server has confirmed yet, oldest first. */
export async function listSpooled(invocation: Invocation, spool: Spool<OutgoingFeedback>): Promise<Exit> {
  const { items, damaged } = await spool.list();
  noteIncomplete(invocation, spool.kind, damaged);
  return printSpooled(invocation, items);
}

export function printSpooled(invocation: Invocation, reports: readonly OutgoingFeedback[]): Exit {
  printList(invocation, { items: reports.map(rowOf), columns });
  return "ok";
}

const columns: readonly Column<KeptRow>[] = [
  { heading: "id", of: ({ id }) => id },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "type", of: ({ type }) => type },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "files", of: ({ files }) => files.length },
  { heading: "state", of: ({ outcome }) => outcome },
  { heading: "why", of: ({ why }) => why },
  { heading: "server", of: ({ baseUrl }) => baseUrl },
];

const rowOf = ({ id, createdAt, baseUrl, fields, files, lastTry }: OutgoingFeedback): KeptRow => ({
  id,
  createdAt,
  baseUrl,
  type: fields.type,
  subject: String(fields.subject ?? fields.message),
  files: placesOf(files).map(({ file }) => file.name),
  outcome: lastTry?.outcome ?? null,
  why: lastTry?.why ?? null,
});
