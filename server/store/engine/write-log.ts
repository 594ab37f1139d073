/** A position in the log of SQLite, between two transactions. */
export interface LogMark {
  /** The name of the log since it last began: its salt. Empty while there is no log. */
  readonly run: string;
  /** How many frames of it are committed. */
  readonly frames: number;
  /** Everything that was acknowledged before this instant is in these frames, or in the file. Nothing later is. */
  readonly at: Date;
  /** Changes when another process commits. */
  readonly version: number;
}

/** What copies the log to another place. */
export interface LogCopier {
  /**
   * Takes the frames up to the mark that it has not yet copied, because they are overwritten next. Must not wait: no write
   * happens meanwhile. Gives false if it cannot.
   */
  takeRest(mark: LogMark): boolean;
  /** From now on the file of the database is written, too. */
  fileChanges(): void;
  /** No write happened for so long, because the log was written back: also before a copy of the whole file. */
  rested(milliseconds: number): void;
  /** Some frames were overwritten without it. */
  lose(reason: string): void;
  /** The log was emptied for a copy of the whole file. */
  begun(): void;
}

/** The log of a SQLite file while something copies it. Nobody else can begin the log again in that time. */
export interface WriteLog {
  readonly file: string;
  /**
   * Writes the log back and empties it for a copy of the whole file. Only for the last frames the writer rests. From then on file and log keep what they hold until the
   * next `writeBack`. Undefined if another connection needs the log just now.
   */
  begin(copier: LogCopier): Promise<LogMark | undefined>;
  /** Keeps what the log holds, for a copier that goes on after a restart. */
  hold(copier: LogCopier): Promise<LogMark>;
  /** The end of the log between two commits. */
  mark(): Promise<LogMark>;
  /** Writes all but the last frames of the log back into the file, while the writer goes on. The log does not begin again. */
  writeMost(): Promise<void>;
  /**
   * Writes the log back into the file. Only for the last frames the writer rests. `whole`: the log may begin again with the next commit. `partly`: others still read it,
   * so that it goes on. `behind`: the copier could not take the rest, and nothing was done.
   */
  writeBack(): Promise<"whole" | "partly" | "behind">;
  /** Gives the log back to SQLite. */
  release(): Promise<void>;
  /**
   * Writes a long log back while the writer goes on, if nothing copies it. Only for the last frames the writer rests. Without this, SQLite writes it back in the
   * middle of a commit. From the first call on SQLite does so only if the log gets much longer. `partly`: somebody read it at the last moment. `held`:
   * another transaction keeps all of it.
   */
  keepShort(): Promise<"short" | "written" | "partly" | "held">;
}
