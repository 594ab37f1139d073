import { clientOf } from "../../client/send.ts";
import { checkCredential } from "../auth/credential-check.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { connect } from "../core/connection.ts";
import type { FoundCredential, Invocation } from "../core/context.ts";
import { missingCredential, wrongKindMessage } from "../core/credentials.ts";
import { DryRun, textOfRequest } from "../core/dry-run.ts";
import { cliErrorOf } from "../core/failures.ts";
import { canAsk } from "../core/input.ts";
import { note } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { storeCredential } from "../core/store-credential.ts";
import { type Draft, draftOf } from "../delivery/draft-feedback.ts";
import { remind } from "../delivery/send.ts";
import { sendDraft } from "../delivery/send-feedback.ts";
import { failureText } from "../delivery/tell-ci-job.ts";

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

/** An app key that the server accepts. */
export interface InitKey extends FoundCredential {
  /** It was typed now. */
  readonly isTyped?: true;
}

interface KeyFlags {
  readonly store?: boolean;
  readonly insecureStorage?: boolean;
  readonly send?: boolean;
  readonly dryRun?: boolean;
}

/**
 * The app key, after the server has accepted it; undefined if there is none and none is needed. Throws a CliError for a key
 * that the server refuses, and if the server cannot be asked.
 */
export async function checkedKey(invocation: Invocation, flags: KeyFlags): Promise<InitKey | undefined> {
  const key = (await invocation.credential("appKey")) ?? (await typedKey(invocation));
  if (!key) {
    if (flags.send || flags.store) throw missingCredential(invocation, "appKey");
    return undefined;
  }
  const server = invocation.baseUrl();
  const { valid, problem } = await checkCredential(invocation, { server, kind: "appKey" }, key);
  if (valid) return key;
  throw new CliError({
    exit: valid === false ? "authentication" : "tryLater",
    code: valid === false ? "invalid_api_key" : "not_checked",
    message: `The app key (${key.source}) could not be used at ${server}: ${problem}.`.replace(/\.\.$/, "."),
    next: "Nothing was written. Check --server and the key.",
  });
}

async function typedKey(invocation: Invocation): Promise<InitKey | undefined> {
  if (!canAsk(invocation)) return undefined;
  const question = "The app key, made in the console (empty: go on without): ";
  const secret = (await invocation.context.io.ask(question, { hidden: true })).trim();
  if (secret === "") return undefined;
  const key = { secret, source: "what you typed", isGiven: true, isTyped: true } as const;
  const fault = wrongKindMessage(key, "appKey");
  if (fault !== undefined) throw usageError(fault.replace(/^w/, "W"));
  return key;
}

/** Stores a given key if the person wants that; returns whether it is stored on this machine. */
export async function storeKey(invocation: Invocation, flags: KeyFlags, key: InitKey): Promise<boolean> {
  if (!key.isGiven) return true;
  if (flags.dryRun) {
    if (flags.store) note(invocation, `Would store the app key for ${invocation.baseUrl()} on this machine.`);
    return false;
  }
  if (!flags.store && !(await wantsToStore(invocation))) return false;
  await storeCredential(invocation, flags, { kind: "appKey", secret: key.secret });
  return true;
}

async function wantsToStore(invocation: Invocation): Promise<boolean> {
  if (!canAsk(invocation)) return false;
  const question = `Store the key for ${invocation.baseUrl()} on this machine, outside of the project? [Y/n] `;
  return !/^n/i.test((await invocation.context.io.ask(question)).trim());
}
