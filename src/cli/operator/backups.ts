import type { Command } from "commander";
import type { CopiesChoice } from "../../backup-commands.ts";
import { utcOf } from "../../contract/instants.ts";
import type { DatabaseChoice } from "../../programs.ts";
import { usageError } from "../core/failures/cli-error.ts";
import { fieldOf } from "../core/output/fields.ts";
import { type Column, printList } from "../core/output/output.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Context } from "../core/program/context.ts";
import { administer, onDatabase, runOnDatabase } from "./administer.ts";

interface BackupFlags extends DatabaseChoice {
  readonly recipient?: string;
  readonly prove?: boolean;
  readonly verify?: boolean;
  readonly identity?: string;
  readonly scratch?: string;
}

interface RestoreFlags extends DatabaseChoice {
  readonly from?: string;
  readonly at?: string;
  readonly erasures?: string;
  readonly identity?: string;
}

export function addBackups(admin: Command, setup: Setup): void {
  const backup = onDatabase(
    admin
      .command("backup <file>")
      .description("Copy the database and the files into one file, or verify one"),
  )
    .option("--prove", "verify the new backup before it gets its name")
    .option("--recipient <keys>", "encrypt it to public keys of age (INNKEEP_BACKUP_RECIPIENT)")
    .option("--verify", "verify the backup FILE that exists, instead of making one")
    .option("--identity <file>", `${identityMeaning}, with --verify`)
    .option("--scratch <folder>", "where a backup is restored to verify it (INNKEEP_BACKUP_SCRATCH)");
  commandAction<BackupFlags, string>(backup, setup, (invocation, flags, file) => {
    const { recipient, prove, verify, identity, scratch, ...place } = flags;
    const { env } = invocation.context;
    const choice = { file, scratch: scratch ?? env.INNKEEP_BACKUP_SCRATCH };
    if (!verify) {
      if (identity !== undefined)
        throw usageError("--identity reads a backup.", "Add --verify, or leave it out.");
      // Otherwise an empty variable of a script would make a backup that everybody can read.
      if (recipient?.trim() === "")
        throw usageError("--recipient is empty.", "Give a public key of age, or leave --recipient out.");
      const keys = recipient ?? env.INNKEEP_BACKUP_RECIPIENT;
      return administer(invocation, place, { command: "backup", ...choice, prove, recipient: keys });
    }
    if (prove || recipient !== undefined)
      throw usageError("--verify makes no backup.", "Leave out --prove and --recipient.");
    const keys = identity ?? env.INNKEEP_BACKUP_IDENTITY_FILE;
    return administer(invocation, place, { command: "backup verify", ...choice, identity: keys });
  });

  addRestore(admin, setup);
  addInstants(admin, setup);
}

function addRestore(admin: Command, setup: Setup): void {
  const restore = onDatabase(
    admin
      .command("restore [file]")
      .description("Restore a backup after verifying it, or an instant from a continuous backup"),
  )
    .option("--from <place>", "the folder or S3 address of a continuous backup, instead of FILE")
    .option("--at <instant>", "with --from: as 2026-11-23T18:30:00Z; the last instant unless given")
    .option("--erasures <journal>", "a file with the erasures of people to do again (INNKEEP_ERASURES)")
    .option("--identity <file>", identityMeaning);
  commandAction<RestoreFlags, string | undefined>(restore, setup, (invocation, flags, file) => {
    const { erasures, identity: given, from, at, ...choice } = flags;
    const { env } = invocation.context;
    const keys = { erasures, identity: given ?? env.INNKEEP_BACKUP_IDENTITY_FILE };
    if (from === undefined) {
      if (file === undefined) throw usageError("There is nothing to restore.", "Name a FILE, or use --from.");
      if (at !== undefined) throw usageError("--at needs --from.", "A backup file holds one instant.");
      return administer(invocation, choice, { command: "restore", file, ...keys });
    }
    if (file !== undefined) throw usageError("--from needs no file.", "Leave one of them out.");
    return administer(invocation, choice, {
      command: "restore instant",
      from: copiesIn(env, from),
      at: at === undefined ? undefined : instantIn(at),
      ...keys,
    });
  });
}

function addInstants(admin: Command, setup: Setup): void {
  const instants = admin
    .command("instants")
    .description("List the instants to which a continuous backup can be restored")
    .option("--from <place>", "its folder or S3 address (INNKEEP_CONTINUOUS_BACKUP)");
  commandAction<{ from?: string }>(instants, setup, async (invocation, flags) => {
    const { env } = invocation.context;
    const from = flags.from ?? env.INNKEEP_CONTINUOUS_BACKUP;
    if (!from) throw usageError("The continuous backup is not named.", "Use --from.");
    const command = { command: "instants", from: copiesIn(env, from) } as const;
    const { generations } = await runOnDatabase(invocation, {}, command);
    const items = Array.isArray(generations) ? generations : [];
    printList(invocation, { items, columns: columnsOfInstants, name: "generations" });
    return undefined;
  });
}

const columnsOfInstants: readonly Column<unknown>[] = [
  { heading: "first", of: (row) => fieldOf(row, "first") },
  { heading: "last", of: (row) => fieldOf(row, "last") },
  { heading: "instants", of: (row) => fieldOf(row, "instants") },
  { heading: "generation", of: (row) => fieldOf(row, "name") },
];

/** The instant of `--at` in UTC. Throws a usage error. */
function instantIn(text: string): string {
  const at = utcOf(text);
  if (at !== undefined) return at;
  throw usageError(
    `--at must be an instant with its offset, not \`${text}\`.`,
    "Such as 2026-11-23T18:30:00Z or 2026-11-23T19:30:00+01:00.",
  );
}

const copiesIn = (env: Context["env"], place: string): CopiesChoice => ({
  place,
  accessKeyId: env.AWS_ACCESS_KEY_ID,
  secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
});

const identityMeaning = "file of secret keys of age for an encrypted backup (INNKEEP_BACKUP_IDENTITY_FILE)";
