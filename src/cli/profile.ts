import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { readText } from "./core/input.ts";
import { note, printOne } from "./core/output.ts";

export interface ProfileFlags {
  readonly timezone?: string;
  readonly pushTokenFile?: string;
}

/** Changes the given fields and shows the profile; without flags it only shows it. */
export async function profile(invocation: Invocation, flags: ProfileFlags): Promise<undefined> {
  const { timezone, pushTokenFile: file } = flags;
  const pushToken =
    file === undefined ? undefined : (await readText(invocation.context, "--push-token-file", file)).trim();
  const known = await invocation.client().tester.updateProfile({ body: { timezone, pushToken } });
  if (timezone !== undefined || file !== undefined) note(invocation, "Changed your profile.");
  printOne(invocation, known, () =>
    details({ "time zone": known.timezone, tester: known.isTester ? "yes" : "not yet" }),
  );
}
