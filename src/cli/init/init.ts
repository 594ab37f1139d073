import { usageError } from "../core/cli-error.ts";
import { startInvocation } from "../core/command.ts";
import { canAsk } from "../core/confirm.ts";
import type { GlobalFlags, Invocation, Server } from "../core/context.ts";
import { missingFlags } from "../core/missing-flags.ts";
import { note, printOne } from "../core/output.ts";
import { webAddress } from "../core/server-address.ts";
import { checkedKey, type InitKey, storeKey } from "./app-key.ts";
import { type CiService, ciLines } from "./ci-lines.ts";
import { draftOfFirst, type FirstReport, firstReport } from "./first-report.ts";
import { type ProjectPlan, planProjectFile, writeProjectFile } from "./project.ts";

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
  tellNext(own, { key, isStored, report });
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

interface Done {
  readonly key: InitKey | undefined;
  readonly isStored: boolean;
  readonly report: FirstReport | undefined;
}

/** Says what is left to do. */
function tellNext(invocation: Invocation, { key, isStored, report }: Done): void {
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
