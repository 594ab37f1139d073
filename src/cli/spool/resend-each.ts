import type { CliError } from "../cli-error.ts";
import type { Item } from "./kept-item.ts";

/** What became of one item that was sent again. */
export interface Sent<Row> {
  readonly row: Row;
  readonly failure?: CliError;
}

/** Sends items one after another until one must wait. Gives a row for each that was tried, and the first failure. */
export async function resendEach<I extends Item, Row>(
  items: readonly I[],
  sendNext: (item: I) => Promise<Sent<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly left: number; readonly failure?: CliError }> {
  const sent: Sent<Row>[] = [];
  for (const item of items) {
    const one = await sendNext(item);
    sent.push(one);
    if (one.failure && stops(one.failure)) break;
  }
  const failures = sent.flatMap(({ failure }) => failure ?? []);
  return {
    rows: sent.map(({ row }) => row),
    left: items.length - sent.length + failures.length,
    failure: failures[0],
  };
}

// The rest goes to the same server, with the same key.
const stops = ({ exit }: CliError): boolean => ["tryLater", "authentication", "interrupted"].includes(exit);
