import { redactText } from "../../client/redact.ts";
import { type Painter, painter } from "../core/color.ts";
import type { Invocation, Server } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine, widthOf } from "../core/plain-text.ts";
import { checkApp } from "./app.ts";
import { checkBackups } from "./backups.ts";
import { checkCredentials } from "./credentials.ts";
import { type Finding, failure, faultOf, ok, type State } from "./finding.ts";
import { checkFolders, checkSettings } from "./folders.ts";
import { checkCi, checkKeychain, checkNode, checkServerParts, checkVariables } from "./machine.ts";
import { checkMail } from "./mail.ts";
import { checkConnection, checkNetworkVariables } from "./network.ts";
import { checkServer } from "./server.ts";
import { checkStore } from "./store.ts";
import { checkUnsent } from "./unsent.ts";

/** Looks at everything that commands need, and prints what it finds. The exit is `unexpected` after a failure. (rule L50) */
export async function examine(invocation: Invocation): Promise<Exit> {
  const isSound = reportFindings(invocation, await findingsOf(invocation));
  return isSound ? "ok" : "unexpected";
}

/** Prints findings without secrets, for people or with `--json`, where `more` is part of it. Gives whether none is a failure. */
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
