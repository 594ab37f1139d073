import { redactText } from "../../client/redact.ts";
import { runOnDatabase } from "../core/administer.ts";
import type { Exit } from "../core/cli-error.ts";
import type { Context, Invocation, Server } from "../core/context.ts";
import { appIdOf, isId, reachableApps } from "../core/ids.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine, type Painter, painter, widthOf } from "../core/plain-text.ts";
import { namedApp } from "../core/server-address.ts";
import { resendOf, type Spool, type SpooledItem } from "../delivery/spool.ts";
import { checkCredentials } from "./credentials.ts";
import { type Finding, failure, faultOf, ok, remark, type State, warning } from "./finding.ts";
import {
  checkCi,
  checkFolders,
  checkKeychain,
  checkNode,
  checkServerParts,
  checkSettings,
  checkVariables,
} from "./machine.ts";
import { checkConnection, checkNetworkVariables, checkServer } from "./network.ts";

/** Looks at everything that commands need, and prints what it finds. The exit is `unexpected` after a failure. (rule L50) */
export async function examine(invocation: Invocation): Promise<Exit> {
  const isSound = reportFindings(invocation, await findingsOf(invocation));
  return isSound ? "ok" : "unexpected";
}

/** Prints findings without secrets, for people or with `--json`, where `more` is part of it. Returns whether none is a failure. */
export function reportFindings(invocation: Invocation, all: readonly Finding[], more: object = {}): boolean {
  const findings = all.map(withoutSecrets);
  const failures = findings.filter(({ state }) => state === "failure").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  const { context, flags } = invocation;
  const { stdout } = context.io;
  const look: Look = {
    paint: painter(context, flags, stdout),
    columns: stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
  };
  const report = { ok: failures === 0, version: context.version, ...more, failures, warnings, findings };
  printOne(invocation, report, () => ({
    painted: findings.flatMap((finding) => linesOf(finding, look)).join("\n"),
  }));
  note(invocation, `${counted(failures, "failure")}, ${counted(warnings, "warning")}.`);
  return failures === 0;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

async function findingsOf(invocation: Invocation): Promise<Finding[]> {
  const { context } = invocation;
  const local = [
    checkNode(context),
    await checkServerParts(context),
    ...checkFolders(context),
    ...checkSettings(context, invocation.flags),
    await checkKeychain(context),
    ...checkVariables(context),
    checkCi(context),
    ...checkNetworkVariables(context),
    ...(await checkMail(context)),
    ...(await checkStore(invocation)),
    ...(await checkBackups(invocation)),
    ...(await orFailure("unsent", () => checkUnsent(invocation))),
  ];
  return [...local, ...(await orFailure("address", () => serverFindings(invocation)))];
}

/** What there is to say of the server; nothing beyond the first thing that stands in the way. */
async function serverFindings(invocation: Invocation): Promise<Finding[]> {
  const server = invocation.server();
  const connection = await checkConnection(invocation.context, server.address);
  const found = [addressFinding(server), ...connection];
  if (hasFailure(connection)) return found;
  const answering = await checkServer(invocation);
  if (hasFailure(answering.filter(({ check }) => check === "server"))) return [...found, ...answering];
  const credentials = await orFailure("credentials", () => checkCredentials(invocation));
  const isRefused = hasFailure(credentials.filter(({ check }) => check === "maintainer token"));
  const app = isRefused ? [] : await orFailure("app", () => checkApp(invocation));
  return [...found, ...answering, ...credentials, ...app];
}

const hasFailure = (findings: readonly Finding[]): boolean =>
  findings.some(({ state }) => state === "failure");

const addressFinding = ({ address, from }: Server): Finding =>
  ok("address", `Commands go to ${address} (${from}).`);

/** The findings of a check; one that says why, if the check itself fails. */
async function orFailure(check: string, examineIt: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examineIt();
  } catch (error) {
    const why = "Commands that need it fail in the same way.";
    return [failure(check, faultOf(error, { why, next: "`innkeep config list` shows what is set." }))];
  }
}

const withoutSecrets = ({ what, why, next, ...rest }: Finding): Finding => ({
  ...rest,
  what: redactText(what),
  why: why && redactText(why),
  next: next && redactText(next),
});

const colors = { failure: "red", warning: "yellow", ok: "green", note: "dim" } as const;

const width = Math.max(...Object.keys(colors).map((state) => state.length));

const margin = " ".repeat(width + 2);

/** Colours, and the columns that a line may have. */
interface Look {
  readonly paint: Painter;
  readonly columns: number;
}

function linesOf({ check, state, what, why, next }: Finding, { paint, columns }: Look): string[] {
  const texts = [`${check}: ${what}`, why && `Why: ${why}`, next && `Next: ${next}`];
  const [first = "", ...rest] = texts.flatMap((text) =>
    text ? wrapped(onOneLine(text), columns - margin.length) : [],
  );
  const label = paint(colors[state satisfies State], state.padEnd(width));
  return [`${label}  ${first}`, ...rest.map((line) => margin + line)];
}

/** The text in lines of so many columns. A word is never cut: it may be a command to copy. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The app that a maintainer's commands mean. Only a maintainer token can be asked for it. */
async function checkApp(invocation: Invocation): Promise<Finding[]> {
  if (!(await invocation.credential("maintainerToken").catch(() => undefined))) return [];
  const wanted = namedApp(invocation);
  const next = "Name one with --app, INNKEEP_APP or `innkeep config set app NAME`.";
  try {
    const apps = await reachableApps(invocation);
    const id = await appIdOf(invocation);
    const app = apps.find((one) => one.id === id.toLowerCase());
    if (app) return [ok("app", `Commands are for the app ${app.name}.`)];
    const what = `The app ${wanted} is not one that this token reaches.`;
    return [failure("app", { what, why: "Commands for it are refused.", next })];
  } catch (error) {
    const why = "Commands of a maintainer do not know which app is meant.";
    const fault = faultOf(error, { why, next });
    return [(wanted === undefined || isId(wanted) ? warning : failure)("app", fault)];
  }
}

/** Whether the S3 store of INNKEEP_S3_URL takes our requests, if it is set. */
async function checkStore(invocation: Invocation): Promise<Finding[]> {
  if (!invocation.context.env.INNKEEP_S3_URL) return [];
  try {
    const { place } = await runOnDatabase(invocation, {}, { command: "files check" });
    return [ok("files", `The S3 store can be read at ${place}.`)];
  } catch (error) {
    const why = "A server with these settings does not start, or refuses files.";
    const next = "Correct INNKEEP_S3_URL, then run `innkeep doctor` again.";
    return [failure("files", faultOf(error, { why, next }))];
  }
}

/** Whether the mail server of INNKEEP_SMTP_URL takes our mails, where it is set. */
async function checkMail({ env, programs }: Context): Promise<Finding[]> {
  const { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: mailFrom } = env;
  if (!smtpUrl) return [];
  try {
    const { server, from } = await programs.admin({ command: "mail check", smtpUrl, mailFrom });
    return [ok("mail", `The mail server ${server} takes mail from ${from}.`)];
  } catch (error) {
    const why = "A server with these settings sends no mail. Mails wait for three days.";
    const next = "Mend INNKEEP_SMTP_URL, then try `innkeep admin mail test --to ADDRESS`.";
    return [failure("mail", faultOf(error, { why, next }))];
  }
}

const why = "Without a proven backup, a lost disk loses everything.";

/** Whether the nightly backups are proven, if INNKEEP_BACKUP_DRILL is set. */
async function checkBackups(invocation: Invocation): Promise<Finding[]> {
  const { INNKEEP_BACKUP_DRILL: when } = invocation.context.env;
  if (!when || when === "off") return [];
  const next = "Read the log of the server, mend the cause, and try `innkeep admin backup FILE --prove`.";
  try {
    const { provenAt, warning } = await runOnDatabase(invocation, {}, { command: "backup drill" });
    if (typeof warning === "string") return [failure("backups", { what: warning, why, next })];
    if (typeof provenAt !== "string") return [remark("backups", "No nightly backup was made yet.")];
    return [ok("backups", `The nightly backup of ${provenAt} was proven.`)];
  } catch (error) {
    const settings = "Set INNKEEP_DATA or INNKEEP_DATABASE_URL as for the server.";
    return [failure("backups", faultOf(error, { why, next: settings }))];
  }
}

/** Reports and proofs that no server has yet. */
async function checkUnsent(invocation: Invocation): Promise<Finding[]> {
  const { openFeedbackSpool } = await import("../delivery/spools.ts");
  const { openProofSpool } = await import("../delivery/spools.ts");
  const found = await Promise.all([
    unsentIn(openFeedbackSpool(invocation)),
    unsentIn(openProofSpool(invocation)),
  ]);
  return found.flat();
}

async function unsentIn<I extends SpooledItem>({ kind, list }: Spool<I>): Promise<Finding[]> {
  const { items, damaged } = await list();
  const waiting = items.length === 1 ? `One ${kind.word} waits` : `${items.length} ${kind.word}s wait`;
  const servers = [...new Set(items.map(({ baseUrl }) => baseUrl))].join(", ");
  const findings = damaged.map((folder) =>
    warning("unsent", {
      what: `${folder} holds no readable ${kind.word}.`,
      why: "It cannot be sent.",
      next: `Look into it, then remove it: rm -r "${folder}"`,
    }),
  );
  if (items.length === 0) return findings;
  return [
    warning("unsent", {
      what: `${waiting} on this machine for ${servers}.`,
      why: "No server has confirmed them.",
      next: `${resendOf(kind, "--list")}, then ${resendOf(kind, "--all")}`,
    }),
    ...findings,
  ];
}
