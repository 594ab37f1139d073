import type { Context, GlobalFlags } from "./context.ts";
import { readProjectFile } from "./project-file.ts";
import { type ChosenProfile, chosenProfile } from "./settings.ts";

/** Something that may name the server, its app and its console. */
export interface Source {
  /** For messages: a flag, a variable, a profile or a file. */
  readonly from: string;
  readonly server?: string | undefined;
  readonly app?: string | undefined;
  readonly console?: string | undefined;
  /** A file that came with a checkout. */
  readonly isProject?: true;
  /** The name of a profile that `--profile` names. */
  readonly profile?: string;
}

/**
 * What may name the server and the app of a command, the first that counts first. Each is read only when it is asked for,
 * so a damaged file stops no command that does not need it.
 */
export function* sourcesOf(context: Context, flags: GlobalFlags): Generator<Source> {
  const { env } = context;
  yield { from: "--app", app: flags.app };
  yield { from: "--base-url", server: flags.baseUrl };
  const named = flags.profile ? chosenProfile(context, flags) : undefined;
  if (named) yield { ...sourceOf(named), profile: named.name };
  yield { from: "INNKEEP_BASE_URL", server: env.INNKEEP_BASE_URL };
  yield { from: "INNKEEP_APP", app: env.INNKEEP_APP };
  yield { from: "INNKEEP_CONSOLE_URL", console: env.INNKEEP_CONSOLE_URL };
  const chosen = named ? undefined : chosenProfile(context, flags);
  if (chosen?.from === "INNKEEP_PROFILE") yield sourceOf(chosen);
  const project = readProjectFile(context);
  if (project) yield { from: project.file, server: project.server, app: project.app, isProject: true };
  if (chosen?.from === "config use") yield sourceOf(chosen);
}

const sourceOf = ({ name, profile, from }: ChosenProfile): Source => ({
  from: `the profile ${name} (${from})`,
  ...profile,
});
