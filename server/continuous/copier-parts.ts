import type { Recipient } from "../secrets/age/age-keys.ts";
import type { WriteLog } from "../store/engine/write-log.ts";
import type { BaseFile } from "./base-copy.ts";
import type { Chain } from "./chain.ts";
import type { FileCopies } from "./file-copies.ts";
import type { LogPart, LogTail } from "./log-tail.ts";
import type { Place } from "./places/place.ts";

/** A chain that is whole up to now, and where it goes on. */
export interface Generation {
  readonly chain: Chain;
  readonly tail: LogTail;
  /** The part of the log in the link that is not yet stored. */
  waiting?: LogPart | undefined;
}

/** What the copier tells as it happens. */
export interface CopierEvents {
  /** Everything up to the instant is stored. */
  copied(at: Date): void;
  stored(bytes: number): void;
  failed(error: unknown): void;
  /** No write happened for so long, because the log was written back. */
  rested(milliseconds: number): void;
  /** A generation has ended before its time. */
  lost(reason: string): void;
}

export interface CopierParts {
  readonly log: WriteLog;
  readonly base: BaseFile;
  readonly place: Place;
  readonly recipients: readonly Recipient[];
  readonly files: FileCopies;
  readonly events: CopierEvents;
  readonly stopping: AbortSignal;
  /** The length in frames at which the log is written back. */
  readonly writeBackFrames: number;
}
