import { CliError } from "../cli-error.ts";
import type { Invocation } from "../context.ts";
import { note } from "../output.ts";
import { reasonOf } from "../text-flag.ts";
import { claim } from "./claim.ts";
import { type Delivery, deliver } from "./deliver.ts";
import type { LastTry, Report } from "./report.ts";
import type { Spool } from "./spool.ts";

/** A report to send, and the spool that keeps it until a server has it; undefined where it could not be kept. */
export interface Kept {
  readonly report: Report;
  readonly spool: Spool | undefined;
}

/** Keeps a report before it is sent. A disk that takes nothing must not stop it: then it is sent all the same. */
export async function keep(invocation: Invocation, report: Report, spool: Spool): Promise<Kept> {
  try {
    return { report: await spool.keep(report), spool };
  } catch (cause) {
    note(
      invocation,
      `This report is sent without a copy on disk (${reasonOf(cause)}): ${spool.folderOf("")}`,
    );
    return { report, spool: undefined };
  }
}

/**
 * Sends a kept report and drops it once a server has it; writes down what became of it otherwise. Throws a CliError
 * where another process is sending it.
 */
export async function attempt(invocation: Invocation, { report, spool }: Kept): Promise<Delivery> {
  if (!spool) return deliver(invocation, report);
  const release = await claim(invocation.context, spool.folderOf(report.id));
  if (!release) throw beingSent(report);
  try {
    await remember(
      invocation,
      spool,
      report,
      together(report.lastTry, started(invocation.context.clock.now())),
    );
    const delivery = await deliver(invocation, report);
    if (delivery.delivered) {
      await forget(invocation, spool, report);
      return delivery;
    }
    const lastTry = together(report.lastTry, delivery.lastTry);
    await remember(invocation, spool, report, lastTry);
    return { ...delivery, lastTry };
  } finally {
    await release();
  }
}

// Stands there until the answer is in, and tells the truth where the program is killed before.
const started = (now: Date): LastTry => ({
  at: now.toISOString(),
  outcome: "unknown",
  why: "The program ended before the server had answered.",
});

// What may have arrived once stays so, whatever happened since.
const together = (before: LastTry | null, last: LastTry): LastTry =>
  before?.outcome === "unknown" ? { ...last, outcome: "unknown", at: before.at } : last;

async function remember(invocation: Invocation, spool: Spool, report: Report, lastTry: LastTry) {
  try {
    await spool.update({ ...report, lastTry });
  } catch (cause) {
    note(invocation, `What became of report ${report.id} could not be written down (${reasonOf(cause)}).`);
  }
}

async function forget(invocation: Invocation, spool: Spool, { id }: Report) {
  try {
    await spool.drop(id);
  } catch (cause) {
    note(
      invocation,
      `The server has it, but the copy cannot be removed (${reasonOf(cause)}): ${spool.folderOf(id)}`,
    );
  }
}

const beingSent = ({ id }: Report) =>
  new CliError("tryLater", "being_sent", `Another process is sending report ${id} right now.`);
