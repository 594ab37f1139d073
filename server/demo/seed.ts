import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { NewApp } from "../../src/contract/apps.ts";
import { NewChangelogEntry } from "../../src/contract/changelog.ts";
import { NewFaq } from "../../src/contract/faqs.ts";
import { NewFeedback } from "../../src/contract/feedback.ts";
import { ownMessages } from "../../src/contract/issues.ts";
import { systemReason } from "../../src/words/system-reason.ts";
import { createEntry } from "../content/changelog/api/entries.ts";
import { createFaq } from "../content/faqs/api.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { failures } from "../feedback/failures/store.ts";
import { feedbackReportOf } from "../feedback/reports/report.ts";
import { feedbackThreads } from "../feedback/threads/store.ts";
import { SettingError } from "../settings/setting-error.ts";

/** Fills an app with the FAQ, the release notes and the feedback of a seed, by the rules of the API. */
export async function seedApp(
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

/** The apps of a development server and what they hold, in place of the demo's app. */
const Seed = z.strictObject({
  apps: z.array(SeedApp).check(z.minLength(1, "must have at least 1 element")),
});

export type Seed = z.output<typeof Seed>;

/** Reads a seed from a file of JSON or YAML. Throws a SettingError that names every fault. (rule O12) */
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
