import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { lazy } from "../src/client/wait.ts";
import { makeFolder } from "../src/credentials/folders.ts";

/** Above 550 files, only the newest 500 are kept. So about one save in fifty reads all files. */
const most = { kept: 500, files: 550 } as const;

/**
 * Stores each proposal in a private file, with an index folder per thread. Several MCP servers may share
 * `stateDirectory`.
 */
export function proposalFiles(stateDirectory: string): ProposalStore {
  const folder = join(stateDirectory, "proposals");
  const threads = join(folder, "threads");
  const indexed = lazy(() => indexOlderRecords(folder, threads));

  return {
    load: () => readRecords(folder),
    async loadOf(feedbackId) {
      await indexed();
      const runIds = isSafeName(feedbackId) ? await readdir(join(threads, feedbackId)).catch(() => []) : [];
      return present(await Promise.all(runIds.map((runId) => readRecord(join(folder, `${runId}.json`)))));
    },
    find: (runId) => readRecord(join(folder, `${runId}.json`)),
    async save(record) {
      makeFolder(folder, 0o700);
      await replaceFile(join(folder, `${record.run_id}.json`), JSON.stringify(record, null, 2));
      await indexRecord(threads, record);
      await deleteOldest(folder, threads);
    },
  };
}

/** Whether an id can be part of a path. */
const isSafeName = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

/** If an earlier version stored the proposals without folders for the threads, creates these folders. */
async function indexOlderRecords(folder: string, threads: string): Promise<void> {
  if (await stat(threads).catch(() => undefined)) return;
  for (const record of await readRecords(folder)) await indexRecord(threads, record).catch(() => undefined);
}

async function indexRecord(
  threads: string,
  { feedback_id, run_id }: Pick<ProposalRecord, "feedback_id" | "run_id">,
): Promise<void> {
  if (!isSafeName(feedback_id) || !isSafeName(run_id)) return;
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

/** Reads a file. Returns undefined if it does not exist or is not a valid record. */
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

async function deleteOldest(folder: string, threads: string): Promise<void> {
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
      if (record && isSafeName(record.feedback_id)) await removeFromIndex(threads, record);
    }),
  );
}

async function removeFromIndex(
  threads: string,
  { feedback_id, run_id }: Pick<ProposalRecord, "feedback_id" | "run_id">,
): Promise<void> {
  if (isSafeName(run_id)) await rm(join(threads, feedback_id, run_id), { force: true });
  await rmdir(join(threads, feedback_id)).catch(() => undefined);
}

/** The record of a proposal that this machine sent. */
export const ProposalRecord = z.object({
  run_id: z.string(),
  feedback_id: z.string(),
  base_url: z.string(),
  summary: z.string(),
  plan: z.string(),
  sha256: z.string(),
  console_url: z.nullable(z.string()),
  created_at: z.string(),
  status: z.string(),
  decision: z.optional(z.nullable(z.string())),
  decision_note: z.nullable(z.string()),
  decided_at: z.nullable(z.string()),
  /** An HMAC of the sent text. Its key is the agent token, so others cannot create a valid HMAC. */
  mac: z.optional(z.string()),
});

export type ProposalRecord = z.output<typeof ProposalRecord>;

/** A recorded proposal. `verified` says whether its text is certainly the text that was sent. */
export interface KnownProposal extends ProposalRecord {
  readonly verified: boolean;
}

/** The proposals that this machine sent, newest last. */
export interface Proposals {
  all(): Promise<KnownProposal[]>;
  /** Returns the proposals of one thread, newest last. */
  ofThread(feedbackId: string): Promise<KnownProposal[]>;
  find(runId: string): Promise<KnownProposal | undefined>;
  /** Adds the record of a proposal that was just sent, and marks its text as verified. */
  add(record: ProposalRecord): Promise<void>;
  /** Stores a new status of a recorded proposal. */
  update(record: KnownProposal): Promise<void>;
}

/** Stores records permanently, so that they still exist after the process has ended. */
export interface ProposalStore {
  load(): Promise<ProposalRecord[]>;
  loadOf(feedbackId: string): Promise<ProposalRecord[]>;
  find(runId: string): Promise<ProposalRecord | undefined>;
  save(record: ProposalRecord): Promise<void>;
}

/** Returns the hash (SHA-256, hex) of the UTF-8 bytes of a plan. */
export const hashOf = (plan: string): string => createHash("sha256").update(plan).digest("hex");

export interface ProposalsParts {
  readonly baseUrl: string;
  readonly store: ProposalStore | undefined;
  /** Returns the agent token; undefined if there is none. */
  readonly key: () => Promise<string | undefined>;
  readonly onFailure: (message: string) => void;
}

/**
 * Creates the list of proposals that this machine sent to one server. Unsaved proposals are lost at a restart.
 */
export function createProposals({ baseUrl, store, key, onFailure }: ProposalsParts): Proposals {
  const sent = new Map<string, KnownProposal>();

  const save = async (record: ProposalRecord): Promise<void> =>
    store?.save(record).catch(() => onFailure("The proposal could not be written to the state folder."));

  /**
   * Sets `verified` if this process sent the text or the HMAC matches. Returns undefined for a wrong hash or
   * server.
   */
  const known = (record: ProposalRecord, secret: string | undefined): KnownProposal | undefined => {
    const ours = sent.get(record.run_id);
    if (ours) return { ...record, ...textsOf(ours), verified: true };
    return isOurs(record, baseUrl) ? { ...record, verified: hasValidMac(record, secret) } : undefined;
  };

  const inOrder = async (kept: readonly ProposalRecord[]): Promise<KnownProposal[]> => {
    const secret = await key();
    const records = new Map([...sent, ...kept.map((record) => [record.run_id, record] as const)]);
    return [...records.values()]
      .map((record) => known(record, secret))
      .filter((record) => record !== undefined)
      .sort((a, b) => a.created_at.localeCompare(b.created_at));
  };

  return {
    all: async () => inOrder((await store?.load()) ?? []),
    async ofThread(feedbackId) {
      const records = await inOrder((await store?.loadOf(feedbackId)) ?? []);
      return records.filter((record) => record.feedback_id === feedbackId);
    },
    async find(runId) {
      const record = (await store?.find(runId)) ?? sent.get(runId);
      return record && known(record, await key());
    },
    async add(record) {
      const secret = await key();
      const signed = secret === undefined ? record : { ...record, mac: macOf(record, secret) };
      sent.set(record.run_id, { ...signed, verified: true });
      await save(signed);
    },
    async update({ verified, ...record }) {
      if (sent.has(record.run_id)) sent.set(record.run_id, { ...record, verified });
      await save(record);
    },
  };
}

const textsOf = ({ feedback_id, summary, plan, sha256 }: ProposalRecord) => ({
  feedback_id,
  summary,
  plan,
  sha256,
});

/** Whether a record belongs to this server, and its hash matches its plan. */
const isOurs = (record: ProposalRecord, baseUrl: string): boolean =>
  record.base_url === baseUrl && record.sha256 === hashOf(record.plan);

const macOf = ({ run_id, feedback_id, base_url, summary, plan }: ProposalRecord, secret: string): string =>
  createHmac("sha256", secret)
    .update(JSON.stringify([run_id, feedback_id, base_url, summary, plan]))
    .digest("hex");

function hasValidMac(record: ProposalRecord, secret: string | undefined): boolean {
  if (secret === undefined || record.mac === undefined) return false;
  const [given, right] = [Buffer.from(record.mac), Buffer.from(macOf(record, secret))];
  return given.length === right.length && timingSafeEqual(given, right);
}
