import { checkCredential } from "../auth/credential-check.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { canAsk } from "../core/confirm.ts";
import type { FoundCredential, Invocation } from "../core/context.ts";
import { wrongKindMessage } from "../core/credentials.ts";
import { missingCredential } from "../core/missing-credential.ts";
import { note } from "../core/output.ts";
import { storeCredential } from "../core/store-credential.ts";

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

/** Stores a given key if the person wants that; gives whether it is stored on this machine. */
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
