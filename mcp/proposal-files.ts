import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lazy } from "../src/client/lazy.ts";
import { makeFolder } from "../src/credentials/make-folder.ts";
import { ProposalRecord, type ProposalStore } from "./proposals.ts";

/** The oldest are dropped in steps, so that most savings read no other record. */
const most = { kept: 500, files: 550 } as const;

/**
 * One file per proposal, readable by this user only, and in a folder for each thread the names of its proposals, so that
 * looking for them reads nothing else. Several servers may use the same folder at once.
 */
export function proposalFiles(stateDirectory: string): ProposalStore {
  const folder = join(stateDirectory, "proposals");
  const threads = join(folder, "threads");
  const named = lazy(() => nameOlderRecords(folder, threads));

  return {
    load: () => readRecords(folder),
    async loadOf(feedbackId) {
      await named();
      const runIds = isName(feedbackId) ? await readdir(join(threads, feedbackId)).catch(() => []) : [];
      return present(await Promise.all(runIds.map((runId) => readRecord(join(folder, `${runId}.json`)))));
    },
    find: (runId) => readRecord(join(folder, `${runId}.json`)),
    async save(record) {
      makeFolder(folder, 0o700);
      await replaceFile(join(folder, `${record.run_id}.json`), JSON.stringify(record, null, 2));
      await nameRecord(threads, record);
      await forgetOldest(folder, threads);
    },
  };
}

/** What may be part of a path. */
const isName = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

/** Earlier versions named no proposals by their thread. */
async function nameOlderRecords(folder: string, threads: string): Promise<void> {
  if (await stat(threads).catch(() => undefined)) return;
  for (const record of await readRecords(folder)) await nameRecord(threads, record).catch(() => undefined);
}

async function nameRecord(
  threads: string,
  { feedback_id, run_id }: Pick<ProposalRecord, "feedback_id" | "run_id">,
): Promise<void> {
  if (!isName(feedback_id) || !isName(run_id)) return;
  makeFolder(join(threads, feedback_id), 0o700);
  await writeFile(join(threads, feedback_id, run_id), "", { mode: 0o600 });
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".json"));
}

async function readRecords(folder: string): Promise<ProposalRecord[]> {
  const names = await namesIn(folder);
  return present(await Promise.all(names.map((name) => readRecord(join(folder, name)))));
}

const present = (records: readonly (ProposalRecord | undefined)[]): ProposalRecord[] =>
  records.filter((record) => record !== undefined);

/** Skips a file that holds no record or is gone. */
async function readRecord(path: string): Promise<ProposalRecord | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  try {
    return ProposalRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, path);
}

async function forgetOldest(folder: string, threads: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.length <= most.files) return;
  const files = await Promise.all(
    names.map(async (name) => ({ name, record: await readRecord(join(folder, name)) })),
  );
  const oldest = files
    .sort((a, b) => (a.record?.created_at ?? "").localeCompare(b.record?.created_at ?? ""))
    .slice(0, names.length - most.kept);
  await Promise.all(
    oldest.map(async ({ name, record }) => {
      await rm(join(folder, name), { force: true });
      if (record && isName(record.feedback_id)) await forgetName(threads, record);
    }),
  );
}

async function forgetName(
  threads: string,
  { feedback_id, run_id }: Pick<ProposalRecord, "feedback_id" | "run_id">,
): Promise<void> {
  if (isName(run_id)) await rm(join(threads, feedback_id, run_id), { force: true });
  await rmdir(join(threads, feedback_id)).catch(() => undefined);
}
