import { CliError } from "../core/cli-error.ts";
import type { SpooledItem } from "./spooled-item.ts";

/** The result of one item that was sent again. */
export interface Sent<Row> {
  readonly row: Row;
  readonly failure?: CliError;
}

/**
 * Sends items one after another until one must wait. Gives a row for each tried item, and the first failure. Skips
 * items that another process is sending.
 */
export async function resendEach<I extends SpooledItem, Row>(
  items: readonly I[],
  sendNext: (item: I) => Promise<Sent<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly left: number; readonly failure?: CliError }> {
  const sent: Sent<Row>[] = [];
  let skipped = 0;
  const skipIfBeingSent = (error: unknown): undefined => {
    if (!(error instanceof CliError && error.code === "being_sent")) throw error;
    skipped += 1;
  };
  for (const item of items) {
    const one = await sendNext(item).catch(skipIfBeingSent);
    if (!one) continue;
    sent.push(one);
    if (one.failure && stops(one.failure)) break;
  }
  const failures = sent.flatMap(({ failure }) => failure ?? []);
  return {
    rows: sent.map(({ row }) => row),
    left: items.length - skipped - sent.length + failures.length,
    failure: failures[0],
  };
}

/** Whether to stop: the other items go to the same server, with the same credential. */
const stops = ({ exit }: CliError): boolean => ["tryLater", "authentication", "interrupted"].includes(exit);
