/** How encrypted backups are read. */
interface BackupKeys {
  /** A file with secret keys of age. */
  readonly identity?: string | undefined;
}

/** Where a backup is restored to be verified. */
interface ScratchChoice {
  /** A folder; the temporary one of the system unless given. */
  readonly scratch?: string | undefined;
}

interface BackUp extends ScratchChoice {
  readonly command: "backup";
  readonly file: string;
  /** The public keys of age that it is encrypted to, separated by commas. */
  readonly recipient?: string | undefined;
  /** Verifies the backup before it gets its name. */
  readonly prove?: boolean | undefined;
}

interface VerifyBackup extends BackupKeys, ScratchChoice {
  readonly command: "backup verify";
  readonly file: string;
}

interface Restore extends BackupKeys {
  readonly command: "restore";
  readonly file: string;
  /** A file with the erasures of people to do again. */
  readonly erasures?: string | undefined;
}

/** Where copies of a database are: a folder, or the address of an S3 store and its key if the address has none. */
export interface CopiesChoice {
  readonly place: string;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}

/** Restores an instant from a continuous backup. */
interface RestoreInstant extends BackupKeys {
  readonly command: "restore instant";
  readonly from: CopiesChoice;
  /** The last one unless given. ISO 8601 with its offset. */
  readonly at?: string | undefined;
  readonly erasures?: string | undefined;
}

/** Lists what a continuous backup can restore. */
interface ListInstants {
  readonly command: "instants";
  readonly from: CopiesChoice;
}

/** A command of the person who runs the server about backups. */
export type BackupCommand =
  | BackUp
  | VerifyBackup
  | Restore
  | RestoreInstant
  | ListInstants
  | { readonly command: "backup drill" };
