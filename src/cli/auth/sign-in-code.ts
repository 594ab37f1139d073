import { waitForSignInCode } from "../../client/wait-for-sign-in-code.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { canAsk } from "../core/confirm.ts";
import type { Invocation } from "../core/context.ts";
import { note } from "../core/output.ts";

export interface Pending {
  readonly deviceId: string;
  readonly challenge: string;
}

const seconds = 300;

/**
 * The code of an approval: from the server, or pasted by the person on the terminal, whichever is first. Throws a
 * CliError if neither comes in five minutes.
 */
export async function signInCodeOf(
  invocation: Invocation,
  device: Pending,
  pasteOnly: boolean,
): Promise<string> {
  invocation.context.signal.throwIfAborted();
  if (pasteOnly) return pasted(invocation, invocation.context.signal);
  const over = new AbortController();
  const stop = () => over.abort(invocation.context.signal.reason);
  invocation.context.signal.addEventListener("abort", stop, { once: true });
  try {
    const approval = awaitApproval(invocation, device, over.signal);
    return await (canAsk(invocation) ? firstOf(approval, pasted(invocation, over.signal)) : codeOf(approval));
  } finally {
    invocation.context.signal.removeEventListener("abort", stop);
    over.abort(new Error("The sign-in is over."));
  }
}

/** Throws if nobody can paste a code, before a browser is opened. */
export function assertCanPaste(invocation: Invocation): void {
  if (canAsk(invocation)) return;
  throw usageError("Nobody can be asked for the code here.", "Leave out --paste to wait for the approval.");
}

type Approval = Awaited<ReturnType<typeof waitForSignInCode>>;

function awaitApproval(invocation: Invocation, device: Pending, signal: AbortSignal): Promise<Approval> {
  const { clock } = invocation.context;
  note(invocation, "Waiting for the approval, for 5 minutes.");
  return waitForSignInCode(invocation.client(), device, {
    seconds,
    clock,
    signal,
  });
}

/** The first of both. If the question fails, the waiting goes on; a refusal ends both. */
function firstOf(approval: Promise<Approval>, typed: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    approval.then((result) => {
      if (result === "late") reject(late());
      else if (result !== "unsupported") resolve(result.code);
      else typed.catch(reject);
    }, reject);
    typed.then(resolve, () => {});
  });
}

async function codeOf(approval: Promise<Approval>): Promise<string> {
  const result = await approval;
  if (result === "late") throw late();
  if (result !== "unsupported") return result.code;
  throw usageError(
    "This server does not report approvals, and nobody can be asked for the code here.",
    "Run `innkeep auth login --paste` on a terminal.",
  );
}

async function pasted(invocation: Invocation, signal: AbortSignal): Promise<string> {
  for (;;) {
    const typed = await invocation.context.io.ask("Code, if the page shows one: ", { hidden: true, signal });
    if (typed.trim() !== "") return typed.trim();
  }
}

const late = () =>
  new CliError({
    exit: "authentication",
    code: "not_approved",
    message: "Nobody approved this device within 5 minutes. You are not signed in.",
    next: "Run `innkeep auth login` again.",
  });
