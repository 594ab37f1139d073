import type { Client } from "../client/call.ts";
import { CliError } from "./cli-error.ts";
import type { Context, GlobalFlags, Invocation } from "./context.ts";

export function startInvocation(context: Context, flags: GlobalFlags): Invocation {
  return {
    context,
    flags,
    baseUrl: () => flags.baseUrl ?? context.env.INNKEEP_BASE_URL ?? "http://127.0.0.1:4700",
    stateFolder: "",
    client: (): Client => {
      throw new CliError("unexpected", "unexpected", "");
    },
  };
}
