import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProposalRecord, type ProposalStore } from "./proposals.ts";

const most = 500;

/** One file per proposal, readable by this user only. Several servers may use the same folder at once. */
export function proposalFiles(stateDirectory: string): ProposalStore {
  const folder = join(stateDirectory, "proposals");

  return {
    async load() {
      const names = await namesIn(folder);
      const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
      return records.filter((record) => record !== undefined);
    },
    find: (runId) => readRecord(join(folder, `${runId}.json`)),
    async save(record) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(folder, `${record.run_id}.json`), JSON.stringify(record, null, 2));
      await forgetOldest(folder);
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".json"));
}

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

async function forgetOldest(folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (names.length <= most) return;
  const records = await Promise.all(
    names.map(async (name) => ({ name, at: (await readRecord(join(folder, name)))?.created_at ?? "" })),
  );
  const oldest = records.sort((a, b) => a.at.localeCompare(b.at)).slice(0, names.length - most);
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })));
}
