import { dirname, join, resolve } from "node:path";
import { redactText } from "../../client/redact.ts";
import { clientOf } from "../../client/send.ts";
import { systemReason } from "../../words/system-reason.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { startInvocation } from "../core/command.ts";
import { connect } from "../core/connection.ts";
import type { GlobalFlags, Invocation, Server } from "../core/context.ts";
import { replaceFile } from "../core/files.ts";
import { reachableApps } from "../core/ids.ts";
import { canAsk, confirm } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { webAddress } from "../core/server-address.ts";
import { checkProject, projectFileName, projectText, readProjectFile } from "../core/settings.ts";
import { missingFlags } from "../core/usage-faults.ts";
import { type CiService, ciLines } from "./ci-lines.ts";
import {
  checkedKey,
  draftOfFirst,
  type FirstReport,
  firstReport,
  type InitKey,
  storeKey,
} from "./first-report.ts";

export interface InitFlags extends GlobalFlags {
  readonly server?: string;
  readonly store?: boolean;
  readonly insecureStorage?: boolean;
  readonly send?: boolean;
  readonly message?: string;
  readonly ci?: CiService;
}

/**
 * Sets up a project: its innkeep.json, an app key on this machine if the person wants that, a first report, and the lines
 * for CI. Checks everything before it writes. Never writes a secret into the project. (rule L40)
 */
export async function init(invocation: Invocation, flags: InitFlags): Promise<undefined> {
  const { address: server, isProject } = await serverOf(invocation, flags);
  // The server of an innkeep.json that is there already may be a stranger's, so that the file goes on naming it.
  const own = isProject ? invocation : startInvocation(invocation.context, { ...flags, baseUrl: server });
  const plan = await planProjectFile(own, { server, app: flags.app });
  const key = await checkedKey(own, flags);
  const draft = key && (await draftOfFirst(own, flags));
  if (!flags.dryRun) await writeProjectFile(plan);
  tellFile(own, plan);
  const isStored = key !== undefined && (await storeKey(own, flags, key));
  const report = draft && (await firstReport(own, flags, { draft, key }));
  const ci = ciLines(own.context, { server, service: flags.ci });
  tellNext(own, key, isStored, report);
  const done = {
    ...(flags.dryRun && { dryRun: true }),
    server,
    app: plan.app ?? null,
    file: plan.file,
    change: plan.change,
    key: key ? { source: key.source, stored: isStored } : null,
    report: report ?? null,
    ci,
  };
  printOne(own, done, () => [report?.request, ...ci.map(({ text }) => text)].filter(Boolean).join("\n\n"));
}

/** The named server, or the one that is typed. Throws a usage error if there is none and nobody can be asked. */
async function serverOf(invocation: Invocation, { server, baseUrl }: InitFlags): Promise<Server> {
  if (server !== undefined && baseUrl !== undefined && server !== baseUrl)
    throw usageError("--server and --base-url name two servers.", "Give one of them.");
  if (server !== undefined) return { address: webAddress(server, "--server"), from: "--server" };
  const named = invocation.server();
  const isGuess = named.from === "the default" || named.from === "the last sign-in";
  if (!isGuess) return named;
  if (!canAsk(invocation)) throw missingFlags(["--server"]);
  const typed = await invocation.context.io.ask(`Address of the server [${named.address}]: `);
  if (typed.trim() === "") return named;
  return { address: webAddress(typed, "What you typed"), from: "what you typed" };
}

function tellFile(invocation: Invocation, { file, change, text }: ProjectPlan): void {
  const { dryRun } = invocation.flags;
  if (change === "unchanged") note(invocation, `${file} says so already.`);
  else note(invocation, `${dryRun ? "Would write" : "Wrote"} ${file}: ${text.trim()}`);
}

/** Says what is left to do. */
function tellNext(
  invocation: Invocation,
  key: InitKey | undefined,
  isStored: boolean,
  report: FirstReport | undefined,
): void {
  const { flags } = invocation;
  if (!key)
    note(
      invocation,
      "There is no app key yet: make one in the console, and `innkeep auth set api-key` stores it.",
    );
  else if (!isStored && key.isGiven)
    note(
      invocation,
      `The key is not stored. It is not sent to a server that only innkeep.json names: run \`innkeep init --server ${invocation.baseUrl()} --store\`, or set INNKEEP_BASE_URL.`,
    );
  if (key && !report && !flags.dryRun)
    note(
      invocation,
      "No report was sent. `innkeep init --send` sends one, `innkeep feedback send` any other.",
    );
}

/** What happens to the innkeep.json of the working folder. */
interface ProjectPlan {
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
async function planProjectFile(invocation: Invocation, wanted: Wanted): Promise<ProjectPlan> {
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
async function writeProjectFile({ file, change, text }: ProjectPlan): Promise<void> {
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

/** Asks a person for the app of the project; undefined for none. Proposes the only app of the maintainer token. */
async function askForApp(invocation: Invocation): Promise<string | undefined> {
  if (!canAsk(invocation)) return undefined;
  const names = (await knownApps(invocation)).map(({ name }) => onOneLine(name));
  const only = names.length === 1 ? names[0] : undefined;
  const choice = names.length > 1 ? `, one of ${names.join(", ")}` : "";
  const question = `The app for commands with a maintainer token, by name or id${choice} [${only ?? "none"}]: `;
  return (await invocation.context.io.ask(question)).trim() || only;
}

/** The apps of the maintainer token. None if there is no token, or the server does not list apps. */
async function knownApps(invocation: Invocation): Promise<readonly { readonly name: string }[]> {
  const client = () => clientOf(connect(invocation, { attempts: 1, timeoutMs: 5_000 }));
  try {
    const token = await invocation.credential("maintainerToken");
    return token ? await reachableApps({ ...invocation, client }) : [];
  } catch {
    return [];
  }
}
