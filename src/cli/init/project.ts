import { dirname, join, resolve } from "node:path";
import { redactText } from "../../client/redact.ts";
import { systemReason } from "../../words/system-reason.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { confirm } from "../core/confirm.ts";
import type { Invocation } from "../core/context.ts";
import { replaceFile } from "../core/files.ts";
import { note } from "../core/output.ts";
import { checkProject, projectFileName, projectText, readProjectFile } from "../core/project-file.ts";
import { askForApp } from "./ask-app.ts";

/** What happens to the innkeep.json of the working folder. */
export interface ProjectPlan {
  readonly file: string;
  readonly change: "created" | "changed" | "unchanged";
  readonly app?: string | undefined;
  readonly text: string;
}

interface Wanted {
  readonly server: string;
  readonly app?: string | undefined;
}

/**
 * Plans the file, and asks before it would say something else than now. Throws a usage error for a damaged file, for a
 * secret, and if nobody agrees.
 */
export async function planProjectFile(invocation: Invocation, wanted: Wanted): Promise<ProjectPlan> {
  const { cwd, home } = invocation.context;
  const file = join(cwd, projectFileName);
  const present = projectText(file);
  const before = present === undefined ? undefined : checkProject(file, present);
  const app = wanted.app?.trim() || before?.app || (await askForApp(invocation));
  const fields = {
    ...(present && JSON.parse(withoutMark(present))),
    server: wanted.server,
    ...(app && { app }),
  };
  const text = `${JSON.stringify(fields, null, 2)}\n`;
  checkProject(file, text);
  if (redactText(text) !== text)
    throw usageError("The server and the app must hold no secret: others read the project.");
  if (before && before.server === wanted.server && before.app === app)
    return { file, change: "unchanged", app, text };
  const above = present === undefined ? readProjectFile({ cwd: dirname(resolve(cwd)), home }) : undefined;
  if (above && cwd !== home) note(invocation, `${above.file} will no longer count in this folder.`);
  if (before) await confirm(invocation, `Replace what ${file} says${saying(before)}?`);
  return { file, change: before ? "changed" : "created", app, text };
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

const saying = ({ server, app }: Partial<Wanted>): string =>
  ` (${[server ?? "no server", app ?? "no app"].join(", ")})`;

/** Writes the file in one step. Throws a CliError if the folder cannot be written. */
export async function writeProjectFile({ file, change, text }: ProjectPlan): Promise<void> {
  if (change === "unchanged") return;
  await replaceFile(file, text).catch((cause: unknown) => {
    throw new CliError({
      exit: "unexpected",
      code: "storage",
      message: `${file} cannot be written (${systemReason(cause)}).`,
      next: "Run the command in a folder that you can write.",
    });
  });
}
