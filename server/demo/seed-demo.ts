import { readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import { NewApp } from "../../src/contract/apps.ts";
import { NewChangelogEntry } from "../../src/contract/changelog.ts";
import { agentScopes, deviceScopes, maintainerScopes } from "../../src/contract/endpoint.ts";
import { ownMessages } from "../../src/contract/errors.ts";
import { NewFaq } from "../../src/contract/faqs.ts";
import { NewFeedback } from "../../src/contract/feedback.ts";
import { eachReportText } from "../../src/contract/report-texts.ts";
import { systemReason } from "../../src/words/phrases.ts";
import { users } from "../access/accounts/store.ts";
import { apiKeys, apps } from "../access/apps/store.ts";
import { tokenLifetimeDays } from "../access/sign-in/rules.ts";
import { devices } from "../access/sign-in/store.ts";
import { tokens } from "../access/tokens/store.ts";
import { createEntry } from "../content/changelog/api.ts";
import { changelogEntries } from "../content/changelog/store.ts";
import { createFaq } from "../content/faqs/api.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { finishClaim } from "../feedback/agent-work/end-claim.ts";
import { outcomeNote } from "../feedback/agent-work/rules.ts";
import { runClaims } from "../feedback/agent-work/store/work.ts";
import { failures } from "../feedback/failures/store.ts";
import { messages } from "../feedback/messages/store.ts";
import { proposalNote, statusOf } from "../feedback/proposals/rules.ts";
import { proposals } from "../feedback/proposals/store.ts";
import { feedbackReportOf, filesJson } from "../feedback/reports/report.ts";
import { feedbackThreads } from "../feedback/threads/store/threads.ts";
import { hashPassword } from "../secrets/passwords.ts";
import { hashOf, mintCredential, randomName, visiblePrefix } from "../secrets/secrets.ts";
import { SettingError, type Settings } from "../settings/settings.ts";
import {
  addressOf,
  type DemoClaim,
  type DemoProposal,
  demoApp,
  demoChangelog,
  demoFaqs,
  demoProposals,
  demoThreads,
  openTester,
} from "./content.ts";
import { type SeedingDeps, seedTesting } from "./seed-testing.ts";

/**
 * Returns the text for a person who starts the demo. `command` starts this program: `innkeep`, or `node` with a file.
 */
export function demoAnnouncement(settings: Settings, access: DemoAccess, command: string): string {
  return `
${whereThingsAre(settings, access)}

In another terminal, in this folder:

${whatToTry(settings, access, command)}

`;
}

function whereThingsAre({ baseUrl, consoleUrl, data, dev }: Settings, access: DemoAccess): string {
  const { email, password, appId, threadId, apps } = access;
  const names = apps?.map(({ name }) => name).join(", ") ?? "Larder";
  const rows: [string, string | undefined][] = [
    ["Console", consoleUrl],
    ["Sign in with", email],
    ["Password", password],
    ["An open proposal", threadId && `${consoleUrl}/feedback/${appId}/${threadId}`],
    ["A running test", `${consoleUrl}/testing/${appId}`],
    ["A tester", `${addressOf(openTester)}, with the same password`],
    ["Development page", dev ? `${baseUrl}/dev` : undefined],
    ["Data folder", resolve(data)],
  ];
  return `Apps: ${names}. Everything below works until you delete the data folder.

${linesOf(rows)}

${linesOf(keysOf(access))}`;
}

function keysOf({ apiKey, apps = [], ...access }: DemoAccess): [string, string | undefined][] {
  return [
    ["App key", apiKey],
    ...apps.slice(1).map((app): [string, string] => [`Key of ${app.name}`, app.apiKey]),
    ["Agent token", access.agentToken],
    ["Maintainer token", access.maintainerToken],
    ["Device token", access.deviceToken],
    ["Test key", access.testKey],
  ];
}

const linesOf = (rows: readonly (readonly [string, string | undefined])[]): string =>
  rows.flatMap(([label, value]) => (value === undefined ? [] : [`  ${label.padEnd(18)}${value}`])).join("\n");

function whatToTry({ baseUrl }: Settings, access: DemoAccess, command: string): string {
  const { apiKey, agentToken, maintainerToken, threadId, runId } = access;
  const isFile = command.startsWith("node ");
  const innkeep = isFile ? "innkeep" : command;
  const thread =
    threadId &&
    `  ${innkeep} agent thread ${threadId}
  ${innkeep} agent decision ${runId} --wait 10m    # meanwhile, decide in the console
`;
  return `  export INNKEEP_BASE_URL=${baseUrl}
  export INNKEEP_API_KEY=${apiKey}
  export INNKEEP_AGENT_TOKEN=${agentToken}
  export INNKEEP_TOKEN=${maintainerToken}
${exportOf("INNKEEP_DEVICE_TOKEN", access.deviceToken)}${exportOf("INNKEEP_TEST_KEY", access.testKey)}${isFile ? `  alias innkeep='${command}'\n` : ""}
  ${innkeep} feedback send --type bug --message "The list is empty after syncing"
  ${innkeep} faq list
${thread ?? ""}  ${innkeep} testing listing list
  ${innkeep} auth login    # sign in as the tester; then: ${innkeep} task list

  printenv INNKEEP_AGENT_TOKEN | ${innkeep} auth set agent-token    # so that the token need not be in the agent's settings
  claude mcp add --env INNKEEP_BASE_URL=${baseUrl} --transport stdio innkeep -- ${command} mcp`;
}

const exportOf = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `  export ${name}=${value}\n`;

interface DemoAppAccess {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
}

/** The credentials and addresses with which a person or a program can try the demo. */
interface DemoAccess {
  readonly email: string;
  readonly password: string;
  /** The first app, which has the closed test. */
  readonly appId: string;
  readonly apiKey: string;
  /** All apps, in the order of the seed file. Undefined in a demo that an older version created. */
  readonly apps?: readonly DemoAppAccess[];
  readonly agentToken: string;
  readonly maintainerToken: string;
  /** The token of a tester's device. This token and `testKey` are undefined in a demo from an older version. */
  readonly deviceToken?: string;
  readonly testKey?: string;
  /** The thread on which an agent has proposed a plan; undefined in a demo from a seed. */
  readonly threadId?: string;
  readonly runId?: string;
}

/** The credentials and addresses of a demo, and the seed if the demo was created from one. */
export interface Demo extends DemoAccess {
  readonly seed?: Seed;
}

/**
 * Creates the demo if it does not exist. Throws a SettingError for another seed, or if `demo.json` is missing.
 */
export async function seedDemo(
  deps: SeedingDeps & Pick<Deps, "database" | "settings">,
  seed?: Seed,
): Promise<Demo> {
  const file = join(deps.settings.data, "demo.json");
  const known = await readFile(file, "utf8").catch(() => undefined);
  const demo = known === undefined ? newDemo(deps, seed) : sameDemo(deps, JSON.parse(known), seed);
  const isThere = (await users.findByEmail(deps.database, demo.email)) !== undefined;
  if (known !== undefined && (isThere || (await apps.exist(deps.database)))) return demo;
  if (isThere) throw withoutAccess(deps.settings.data);
  // The access data is stored before the database changes. If the process is killed, the next start continues.
  await keepAccess(deps.settings.data, demo);
  const passwordHash = await hashPassword(demo.password);
  await deps.database.write((tx) => seedAll(deps, tx, { ...demo, passwordHash }));
  return demo;
}

async function keepAccess(data: string, demo: Demo): Promise<void> {
  const draft = join(data, "demo.json.draft");
  await writeFile(draft, JSON.stringify(demo, null, 2), { mode: 0o600 });
  await rename(draft, join(data, "demo.json"));
  // The folder contains keys and is often inside a Git repository, so Git must ignore it.
  await writeFile(join(data, ".gitignore"), "*\n", { mode: 0o600 });
}

const withoutAccess = (data: string) =>
  new SettingError(
    `The folder ${data} contains a demo, but the file demo.json with its keys is missing. Put the file back, or delete the folder.`,
  );

function sameDemo({ settings: { data } }: Pick<Deps, "settings">, demo: Demo, seed: Seed | undefined): Demo {
  if (seed === undefined || JSON.stringify(seed) === JSON.stringify(demo.seed)) return demo;
  throw new SettingError(
    `The folder ${data} already contains data that is not from this seed. Delete the folder, or choose another folder with --data.`,
  );
}

function newDemo({ newId }: Pick<Deps, "newId">, seed: Seed | undefined): Demo {
  const names = seed?.apps.map(({ name }) => name) ?? [demoApp.name];
  const apps = names.map((name) => ({ id: newId(), name, apiKey: mintCredential("sdk_") }));
  return {
    email: "you@larder.example",
    password: randomName().slice(0, 16),
    appId: apps[0]?.id ?? "",
    apiKey: apps[0]?.apiKey ?? "",
    apps,
    agentToken: mintCredential("sda_"),
    maintainerToken: mintCredential("sdm_"),
    deviceToken: mintCredential("sdt_"),
    testKey: mintCredential("stk_"),
    ...(seed ? { seed } : { threadId: newId(), runId: newId() }),
  };
}

async function seedAll(
  deps: SeedingDeps,
  tx: Transaction,
  demo: Demo & { readonly passwordHash: string },
): Promise<void> {
  const { email, passwordHash } = demo;
  const userId = deps.newId();
  const createdAt = deps.clock.now().toISOString();
  await users.insert(tx, { id: userId, email, passwordHash, createdAt, emailVerifiedAt: createdAt });
  for (const [at, { id, name, apiKey }] of (demo.apps ?? []).entries()) {
    const { githubRepository = null } = demo.seed ? (demo.seed.apps[at] ?? {}) : demoApp;
    const switches = {
      feedbackEnabled: 1,
      changelogEnabled: 1,
      senderPages: 1,
      chatWebhookUrl: null,
      chatFormat: "slack",
      approvalHours: null,
      retentionDays: null,
    };
    await apps.insert(tx, userId, { id, name, githubRepository, ...switches, createdAt });
    const key = { id: deps.newId(), appId: id, label: "Demo", kind: "full", createdAt } as const;
    await apiKeys.insert(tx, { ...key, prefix: visiblePrefix(apiKey), keyHash: hashOf(apiKey) });
  }
  await seedToken(deps, tx, { userId, email, kind: "agent", token: demo.agentToken });
  await seedToken(deps, tx, { userId, email, kind: "maintainer", token: demo.maintainerToken });
  await seedContent(deps, tx, demo);
  await seedDevice(deps, tx, demo.deviceToken ?? "");
}

/** Adds the content of the demo's apps, which must not have content. Adds nothing for an app that was deleted. */
export async function seedContent(deps: SeedingDeps, tx: Transaction, demo: Demo): Promise<void> {
  const owner = await users.findByEmail(tx, demo.email);
  const ownerId = owner?.id ?? "";
  const { appId, testKey } = demo;
  const hasFirst = (await apps.findOwner(tx, appId)) !== undefined;
  if (demo.seed) {
    for (const [at, app] of demo.seed.apps.entries()) {
      const id = demo.apps?.[at]?.id ?? "";
      if (await apps.findOwner(tx, id)) await seedApp(deps, tx, { appId: id, app });
    }
  } else if (hasFirst) {
    const tokenId = await agentTokenOf(tx, ownerId);
    await seedLarder(deps, tx, { ...demo, ownerId, tokenId });
  }
  if (hasFirst) await seedTesting(deps, tx, { appId, testKey, passwordHash: owner?.passwordHash ?? "" });
}

/** Returns the id of the demo's agent token; an empty text if the token was revoked. */
async function agentTokenOf(tx: Transaction, userId: string): Promise<string> {
  const found = await tokens.list(tx, { userId, appId: null }, "");
  return found.find(({ kind }) => kind === "agent")?.id ?? "";
}

/** Signs in the device of the tester who has a task today. */
async function seedDevice(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  token: string,
): Promise<void> {
  const tester = await users.findByEmail(tx, addressOf(openTester));
  const createdAt = deps.clock.now();
  await devices.link(tx, {
    id: deps.newId(),
    deviceId: deps.newId(),
    userId: tester?.id ?? "",
    name: "Demo",
    pushToken: null,
    scopes: JSON.stringify(deviceScopes),
    prefix: visiblePrefix(token),
    tokenHash: hashOf(token),
    createdAt: createdAt.toISOString(),
    expiresAt: new Date(createdAt.getTime() + tokenLifetimeDays * 86_400_000).toISOString(),
  });
}

const seedToken = (
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    userId,
    email,
    kind,
    token,
  }: {
    readonly userId: string;
    readonly email: string;
    readonly kind: "agent" | "maintainer";
    readonly token: string;
  },
) =>
  tokens.insert(tx, {
    id: deps.newId(),
    userId,
    kind,
    label: "Demo",
    scopes: JSON.stringify(kind === "maintainer" ? maintainerScopes : agentScopes),
    appId: null,
    prefix: visiblePrefix(token),
    tokenHash: hashOf(token),
    createdAt: deps.clock.now().toISOString(),
    createdBy: email,
  });

interface Larder extends Pick<ProposalContext, "ownerId" | "tokenId"> {
  readonly appId: string;
  /** The id of the thread whose proposal waits for a decision. `runId` is the id of that proposal. */
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
}

/** Fills the app Larder with FAQ, release notes, feedback and the work of an agent. */
async function seedLarder(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  larder: Larder,
): Promise<void> {
  for (const faq of demoFaqs) await createFaq(deps, tx, { appId: larder.appId, faq });
  await seedChangelog(deps, tx, larder.appId);
  const threadIds = await seedThreads(deps, tx, larder);
  await seedProposals(deps, tx, { ...larder, threadIds, runId: larder.runId ?? deps.newId() });
}

async function seedChangelog(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  appId: string,
): Promise<void> {
  for (const { ageHours, versions, items, ...entry } of demoChangelog) {
    const at = before(deps, ageHours);
    await changelogEntries.insert(tx, {
      ...entry,
      id: deps.newId(),
      appId,
      versions: JSON.stringify(versions),
      items: JSON.stringify(items),
      bodyFormat: "items",
      body: "",
      publishedAt: at,
      createdAt: at,
      updatedAt: at,
      editedFields: "[]",
      translations: null,
    });
  }
}

/** Adds the feedback of Larder. Returns a map from the subject of each thread to its id. */
async function seedThreads(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, threadId = deps.newId() }: Larder,
): Promise<ReadonlyMap<string, string>> {
  const threadIds = new Map<string, string>();
  for (const [index, { type, name, email, metadata, ageHours, ...thread }] of demoThreads.entries()) {
    const id = index === 0 ? threadId : deps.newId();
    threadIds.set(thread.subject, id);
    await feedbackThreads.insert(tx, {
      ...eachReportText(() => null),
      ...thread,
      id,
      appId,
      category: type,
      senderName: name,
      senderEmail: email,
      metadata: JSON.stringify(metadata),
      files: filesJson([]),
      dedupeKey: null,
      createdAt: before(deps, ageHours),
    });
  }
  return threadIds;
}

type SeedDemoDeps = Pick<Deps, "clock" | "newId">;

interface ProposalContext {
  /** A map from the subject of each thread of the demo to the id of the thread. */
  readonly threadIds: ReadonlyMap<string, string>;
  /** The id of the proposal that waits for a decision. */
  readonly runId: string;
  readonly ownerId: string;
  /** The id of the agent's token. */
  readonly tokenId: string;
}

/** Adds what an agent has proposed and done in the app Larder. */
async function seedProposals(deps: SeedDemoDeps, tx: Transaction, context: ProposalContext): Promise<void> {
  for (const proposal of demoProposals) {
    const found = [...context.threadIds].find(([subject]) => subject.startsWith(proposal.thread));
    if (found) await seedProposal(deps, tx, { ...context, proposal, feedbackId: found[1] });
  }
}

async function seedProposal(
  deps: SeedDemoDeps,
  tx: Transaction,
  {
    proposal,
    feedbackId,
    ownerId,
    tokenId,
    runId,
  }: ProposalContext & { readonly proposal: DemoProposal; readonly feedbackId: string },
): Promise<void> {
  const { summary, plan, decided, claim } = proposal;
  const id = decided ? deps.newId() : runId;
  const createdAt = before(deps, proposal.ageHours);
  await proposals.insert(tx, { id, feedbackId, summary, plan, createdAt });
  await seedNote(deps, tx, { feedbackId, body: proposalNote(proposal), createdAt });
  if (decided) {
    const { decision, note } = decided;
    const by = { by: ownerId, at: before(deps, decided.ageHours), expiresAt: null };
    await proposals.decide(tx, id, { status: statusOf(decision), decision, note, ...by });
  }
  if (claim) await seedClaim(deps, tx, { claim, runId: id, userId: ownerId, tokenId, feedbackId });
  await feedbackThreads.setProposalStatus(tx, feedbackId);
}

async function seedClaim(
  deps: SeedDemoDeps,
  tx: Transaction,
  {
    claim: { worker, ageHours, progress, outcome },
    runId,
    userId,
    tokenId,
    feedbackId,
  }: {
    readonly claim: DemoClaim;
    readonly runId: string;
    readonly userId: string;
    readonly tokenId: string;
    readonly feedbackId: string;
  },
): Promise<void> {
  const id = deps.newId();
  const claimedAt = before(deps, ageHours);
  await proposals.markRead(tx, runId, claimedAt);
  await runClaims.insert(tx, { id, runId, userId, tokenId, worker, claimedAt });
  for (const { text, ageHours: age } of progress)
    await runClaims.addProgress(tx, { id: deps.newId(), claimId: id, text, createdAt: before(deps, age) });
  if (!outcome) return;
  const at = before(deps, outcome.ageHours);
  await finishClaim(tx, id, { ...outcome, at });
  await seedNote(deps, tx, { feedbackId, body: outcomeNote(outcome), createdAt: at });
}

const seedNote = (
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  note: { readonly feedbackId: string; readonly body: string; readonly createdAt: string },
) => messages.insert(tx, { id: newId(), direction: "note", author: "agent", ...note });

/** Returns the instant that is this many hours before now, in ISO 8601. */
const before = ({ clock }: Pick<Deps, "clock">, hours: number): string =>
  new Date(clock.now().getTime() - hours * 3_600_000).toISOString();

/** Fills an app with the FAQ, the release notes and the feedback of a seed. */
async function seedApp(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, app }: { readonly appId: string; readonly app: SeedApp },
): Promise<void> {
  for (const faq of app.faqs) await createFaq(deps, tx, { appId, faq });
  for (const entry of app.changelog)
    await createEntry(deps, tx, { writer: { appId, isPerson: false }, entry });
  for (const body of app.feedback) {
    const { thread, scope, run } = feedbackReportOf(deps, appId, { body, files: [], hasRoom: true });
    await feedbackThreads.insert(tx, thread);
    if (thread.dedupeKey === null) continue;
    await failures.report(tx, { feedbackId: thread.id, appId, scope, run, reportedAt: thread.createdAt });
  }
}

const { name, githubRepository } = NewApp.shape;

const { images, videos, attachments, dedupeScope, dedupeRun, ...report } = NewFeedback.shape;

const SeedApp = z.strictObject({
  name,
  githubRepository,
  faqs: z._default(z.array(z.strictObject(NewFaq.shape)), []),
  changelog: z._default(z.array(z.strictObject(NewChangelogEntry.shape)), []),
  feedback: z._default(z.array(z.strictObject(report)), []),
});

type SeedApp = z.output<typeof SeedApp>;

/** The format of a seed. A development server creates the apps of the seed in place of the app Larder. */
const Seed = z.strictObject({
  apps: z.array(SeedApp).check(z.minLength(1, "must have at least 1 element")),
});

export type Seed = z.output<typeof Seed>;

/** Reads a seed from a JSON or YAML file. Throws a SettingError that names all faults of the file. (rule O12) */
export async function readSeed(file: string): Promise<Seed> {
  const { data, error } = Seed.safeParse(await valueIn(file), ownMessages);
  if (error) throw new SettingError(`The seed ${file} has faults:\n${error.issues.map(lineOf).join("\n")}`);
  const names = data.apps.map((app) => app.name);
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) throw new SettingError(`The seed ${file} has two apps with the name ${twice}.`);
  return data;
}

const lineOf = (issue: z.core.$ZodIssue): string => {
  const path = issue.path.join(".") || "the whole file";
  if (issue.code !== "unrecognized_keys") return `  ${path} ${issue.message}`;
  return `  ${path} must not have the field ${issue.keys.join(", ")}`;
};

async function valueIn(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(`The seed ${file} cannot be read (${systemReason(cause)}).`, { cause });
  });
  try {
    return /\.ya?ml$/i.test(file) ? (await import("./parse-yaml.lazy.ts")).parseYaml(text) : JSON.parse(text);
  } catch (cause) {
    const [why] = cause instanceof Error ? cause.message.split("\n") : [];
    throw new SettingError(`The seed ${file} is not JSON or YAML: ${why}`, { cause });
  }
}
