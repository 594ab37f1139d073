import type { Context, Invocation } from "../core/context.ts";
import { note } from "../core/output.ts";
import { asLoggedJson } from "../core/plain-text.ts";

/**
 * Shows the address of the approval on standard error, because standard output is for the result. Opens it in the
 * browser if a person uses this machine.
 */
export async function showAddress(invocation: Invocation, url: string, wanted: boolean): Promise<void> {
  const { context, flags } = invocation;
  const event = JSON.stringify({ event: "open", url });
  if (flags.json) context.io.stderr.write(`${asLoggedJson(context.env, event)}\n`);
  const opened = wanted && canOpen(context) && (await opens(context, url));
  note(
    invocation,
    `${opened ? "Approve this device in your browser. If it did not open:" : "Open this to approve this device:"}\n  ${url}`,
  );
}

/** Over SSH the browser would open on the other machine, and without a display in the terminal. */
function canOpen({ env, io, platform }: Context): boolean {
  if (!io.stderr.isTerminal || env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false;
  return platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
}

const opens = (context: Context, url: string): Promise<boolean> =>
  context.openBrowser(url).then(
    () => true,
    () => false,
  );
