import { clientOf } from "../../client/client.ts";
import type { NewFeedback } from "../../contract/feedback.ts";
import { connect } from "../core/connection/connect.ts";
import { DryRun, textOfRequest } from "../core/connection/dry-run.ts";
import { canAsk } from "../core/input/confirm.ts";
import { optionalTextOf } from "../core/input/text-flag.ts";
import { note } from "../core/output/output.ts";
import type { Invocation } from "../core/program/context.ts";
import type { InitKey } from "./app-key.ts";

/** What became of the first report. A dry run has only the request. */
export interface FirstReport {
  readonly id?: string;
  readonly consoleUrl?: string;
  readonly request?: string;
}

interface ReportFlags {
  readonly send?: boolean;
  readonly message?: string;
  readonly dryRun?: boolean;
}

/**
 * Sends a first report with `--send`, or if the person agrees; undefined if not. With `--dry-run` gives the request. Runs
 * of one folder join one thread.
 */
export async function firstReport(
  invocation: Invocation,
  flags: ReportFlags,
  key: InitKey,
): Promise<FirstReport | undefined> {
  const message = await optionalTextOf(invocation, "--message", flags.message);
  const body = {
    type: "general",
    subject: "First report",
    message: message ?? usual,
    dedupeKey: "innkeep-init",
  } as const;
  if (!flags.send && !flags.dryRun && !(await wantsToSend(invocation, body))) return undefined;
  const client = clientOf(connect({ ...invocation, credential: async () => key }));
  try {
    const { id, consoleUrl } = await client.feedback.submit({ body });
    note(invocation, `Sent a first report. ${consoleUrl ?? ""}`.trim());
    return { id, consoleUrl };
  } catch (error) {
    if (error instanceof DryRun) return { request: textOfRequest(error.request) };
    throw error;
  }
}

const usual = "A first report, sent by `innkeep init`. You can delete it.";

async function wantsToSend(
  invocation: Invocation,
  { subject, message }: Partial<NewFeedback>,
): Promise<boolean> {
  if (!canAsk(invocation)) return false;
  note(invocation, `\n  ${subject}\n  ${message}\n`);
  return /^y/i.test((await invocation.context.io.ask("Send this as a first report? [y/N] ")).trim());
}
