import { clientOf } from "../../client/client.ts";
import { canAsk } from "../core/confirm.ts";
import { connect } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { DryRun, textOfRequest } from "../core/dry-run.ts";
import { cliErrorOf } from "../core/failures.ts";
import { note } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { type Draft, draftOf } from "../delivery/draft-feedback.ts";
import { remind } from "../delivery/send.ts";
import { sendDraft } from "../delivery/send-feedback.ts";
import { failureText } from "../delivery/tell-ci-job.ts";
import type { InitKey } from "./app-key.ts";

/** What became of the first report. A dry run has only the request. */
export interface FirstReport {
  readonly id?: string | undefined;
  readonly consoleUrl?: string | undefined;
  readonly request?: string;
}

interface ReportFlags {
  readonly send?: boolean;
  readonly message?: string;
  readonly dryRun?: boolean;
}

/** The first report, checked but not sent. Throws a usage error for a text that no report can have. */
export const draftOfFirst = (
  invocation: Invocation,
  { message = "A first report, sent by `innkeep init`. You can delete it." }: ReportFlags,
): Promise<Draft> =>
  draftOf(invocation, {
    type: "general",
    subject: "First report",
    message,
    dedupeKey: "innkeep-init",
    ciMetadata: false,
  });

/**
 * Keeps and sends a first report with `--send`, or if the person agrees; undefined if not. With `--dry-run` gives the
 * request. Runs of one folder join one thread. Throws an error that says how to send it again if it does not arrive.
 */
export async function firstReport(
  invocation: Invocation,
  flags: ReportFlags,
  { draft, key }: { readonly draft: Draft; readonly key: InitKey },
): Promise<FirstReport | undefined> {
  if (!flags.send && !flags.dryRun && !(await wantsToSend(invocation, draft))) return undefined;
  try {
    const { answer, spool } = await sendDraft(withKey(invocation, key), draft);
    const { id, consoleUrl } = answer;
    note(invocation, `Sent a first report. ${onOneLine(consoleUrl ?? "")}`.trim());
    await remind(invocation, spool);
    return { id, consoleUrl };
  } catch (error) {
    if (error instanceof DryRun) return { request: textOfRequest(error.request) };
    // An interrupted program prints nothing else.
    if (invocation.context.signal.aborted) note(invocation, failureText(cliErrorOf(error)));
    throw error;
  }
}

/** The invocation with a key that was typed, which no variable or store has. */
function withKey(invocation: Invocation, key: InitKey): Invocation {
  const own: Invocation = { ...invocation, credential: async () => key };
  const sender = connect(own);
  return { ...own, sender: () => sender, client: () => clientOf(sender) };
}

async function wantsToSend(invocation: Invocation, { fields }: Draft): Promise<boolean> {
  if (!canAsk(invocation)) return false;
  const { subject, message } = fields;
  note(invocation, `\n  ${subject}\n  ${message}\n`);
  return /^y/i.test((await invocation.context.io.ask("Send this as a first report? [y/N] ")).trim());
}
