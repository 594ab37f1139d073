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

/** Makes a database that another program restored safe to serve. */
interface Adopt {
  readonly command: "adopt";
  /** A file with the erasures of people to do again. */
  readonly erasures?: string | undefined;
}

/** A command of the person who runs the server about backups. */
export type BackupCommand = BackUp | VerifyBackup | Restore | Adopt | { readonly command: "backup drill" };
