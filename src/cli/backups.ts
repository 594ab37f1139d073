import { type Command, Option } from "commander";
import type { DatabaseChoice } from "../programs.ts";
import { administer, onDatabase } from "./core/administer.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { confirm } from "./core/confirm.ts";
import { copiesByLitestream } from "./core/gone.ts";

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

interface AdoptFlags extends DatabaseChoice {
  readonly erasures?: string;
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
  addAdopt(admin, setup);
}

function addRestore(admin: Command, setup: Setup): void {
  const restore = onDatabase(
    admin.command("restore [file]").description("Restore a backup after verifying it"),
  )
    .option("--erasures <journal>", erasuresMeaning)
    .option("--identity <file>", identityMeaning)
    .addOption(new Option("--from <place>").hideHelp())
    .addOption(new Option("--at <instant>").hideHelp());
  commandAction<RestoreFlags, string | undefined>(restore, setup, (invocation, flags, file) => {
    const { erasures, identity: given, from, at, ...choice } = flags;
    if (from !== undefined || at !== undefined)
      throw usageError("--from and --at do not exist any more.", copiesByLitestream);
    if (file === undefined) throw usageError("There is nothing to restore.", "Name the FILE of a backup.");
    const identity = given ?? invocation.context.env.INNKEEP_BACKUP_IDENTITY_FILE;
    return administer(invocation, choice, { command: "restore", file, erasures, identity });
  });
}

function addAdopt(admin: Command, setup: Setup): void {
  const adopt = onDatabase(
    admin
      .command("adopt")
      .description("Make a database safe to serve that Litestream or PostgreSQL has restored"),
  )
    .option("--erasures <journal>", erasuresMeaning)
    .option("-y, --yes", "do not ask");
  commandAction<AdoptFlags>(adopt, setup, async (invocation, { erasures, ...choice }) => {
    await confirm(
      invocation,
      "End all sessions, codes and links of this database, and erase again who was erased since?",
    );
    return administer(invocation, choice, { command: "adopt", erasures });
  });
}

const erasuresMeaning = "a file with the erasures of people to do again (INNKEEP_ERASURES)";
const identityMeaning = "file of secret keys of age for an encrypted backup (INNKEEP_BACKUP_IDENTITY_FILE)";
