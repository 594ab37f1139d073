import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { maintainerScopes } from "../../src/contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import { proposalNote } from "../domain/feedback/proposal.ts";
import { createFaq } from "../routes/content/faq-changes.ts";
import { filesJson } from "../routes/feedback/feedback-report.ts";
import { hashPassword } from "../secrets/passwords.ts";
import { hashOf, mintCredential, randomName, visiblePrefix } from "../secrets/secrets.ts";
import { apiKeys } from "../store/access/api-keys.ts";
import { apps } from "../store/access/apps.ts";
import { tokens } from "../store/access/tokens.ts";
import { users } from "../store/access/users.ts";
import { changelogEntries } from "../store/content/changelog-entries.ts";
import type { Transaction } from "../store/engine/database.ts";
import { feedbackThreads } from "../store/feedback/feedback.ts";
import { messages } from "../store/feedback/messages.ts";
import { proposals } from "../store/feedback/proposals.ts";
import { demoApp, demoChangelog, demoFaqs, demoProposal, demoThreads } from "./demo-content.ts";
import { type SeedingDeps, seedTesting } from "./seed-testing.ts";

/** What a person needs to try the demo. */
export interface DemoAccess {
  readonly email: string;
  readonly password: string;
  readonly appId: string;
  readonly apiKey: string;
  readonly agentToken: string;
  readonly maintainerToken: string;
  /** The thread on which an agent has already proposed a plan. */
  readonly threadId: string;
  readonly runId: string;
}

/** Seeds the demo unless it exists. Gives the access to it, which is kept in the data folder, readable by its owner only. */
export async function seedDemo(deps: SeedingDeps & Pick<Deps, "database" | "settings">): Promise<DemoAccess> {
  const file = join(deps.settings.data, "demo.json");
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return JSON.parse(known);
  const access = newAccess(deps);
  const passwordHash = await hashPassword(access.password);
  await deps.database.write((tx) => seed(deps, tx, { ...access, passwordHash }));
  await writeFile(file, JSON.stringify(access, null, 2), { mode: 0o600 });
  return access;
}

const newAccess = ({ newId }: Pick<Deps, "newId">): DemoAccess => ({
  email: "you@larder.example",
  password: randomName().slice(0, 16),
  appId: newId(),
  apiKey: mintCredential("sdk_"),
  agentToken: mintCredential("sda_"),
  maintainerToken: mintCredential("sdm_"),
  threadId: newId(),
  runId: newId(),
});

interface NewDemo extends DemoAccess {
  readonly passwordHash: string;
}

async function seed(deps: SeedingDeps, tx: Transaction, access: NewDemo): Promise<void> {
  const { appId, email, passwordHash } = access;
  const userId = deps.newId();
  const createdAt = deps.clock.now().toISOString();
  await users.insert(tx, { id: userId, email, passwordHash, createdAt });
  const switches = { feedbackEnabled: 1, changelogEnabled: 1, chatWebhookUrl: null };
  await apps.insert(tx, userId, { id: appId, ...demoApp, ...switches, createdAt });
  const key = { id: deps.newId(), appId, label: "Demo", kind: "full", createdAt } as const;
  await apiKeys.insert(tx, { ...key, prefix: visiblePrefix(access.apiKey), keyHash: hashOf(access.apiKey) });
  await seedToken(deps, tx, { userId, email, kind: "agent", token: access.agentToken });
  await seedToken(deps, tx, { userId, email, kind: "maintainer", token: access.maintainerToken });
  await seedContent(deps, tx, access);
}

/** Seeds the content of the demo's app again after it was deleted. Does nothing if the app itself is gone. */
export async function seedContentAgain(
  deps: SeedingDeps,
  tx: Transaction,
  access: DemoAccess,
): Promise<void> {
  if (await apps.findOwner(tx, access.appId)) await seedContent(deps, tx, access);
}

async function seedContent(deps: SeedingDeps, tx: Transaction, access: DemoAccess): Promise<void> {
  for (const faq of demoFaqs) await createFaq(deps, tx, { appId: access.appId, faq });
  await seedChangelog(deps, tx, access.appId);
  await seedThreads(deps, tx, access);
  const owner = await users.findByEmail(tx, access.email);
  await seedTesting(deps, tx, { appId: access.appId, passwordHash: owner?.passwordHash ?? "" });
}

interface DemoToken {
  readonly userId: string;
  readonly email: string;
  readonly kind: "agent" | "maintainer";
  readonly token: string;
}

const seedToken = (
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { userId, email, kind, token }: DemoToken,
) =>
  tokens.insert(tx, {
    id: deps.newId(),
    userId,
    kind,
    label: "Demo",
    scopes: JSON.stringify(kind === "maintainer" ? maintainerScopes : []),
    appId: null,
    prefix: visiblePrefix(token),
    tokenHash: hashOf(token),
    createdAt: deps.clock.now().toISOString(),
    createdBy: email,
  });

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
    });
  }
}

async function seedThreads(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, threadId, runId }: DemoAccess,
): Promise<void> {
  for (const [index, { type, name, email, metadata, ageHours, ...thread }] of demoThreads.entries()) {
    await feedbackThreads.insert(tx, {
      ...thread,
      id: index === 0 ? threadId : deps.newId(),
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
  const createdAt = before(deps, 1);
  await proposals.insert(tx, { id: runId, feedbackId: threadId, ...demoProposal, createdAt });
  await feedbackThreads.setProposalStatus(tx, threadId, "awaiting_approval");
  const note = {
    id: deps.newId(),
    feedbackId: threadId,
    direction: "note",
    author: "agent",
    body: proposalNote(demoProposal),
  } as const;
  await messages.insert(tx, { ...note, createdAt });
}

const before = ({ clock }: Pick<Deps, "clock">, hours: number): string =>
  new Date(clock.now().getTime() - hours * 3_600_000).toISOString();
