/** Whether an error means "this row exists already": a unique index or a primary key, on any engine. */
export function isConflict(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23505" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?UNIQUE constraint/.test(fault.message)),
  );
}

/** Whether an error means that what a row would refer to is gone: a foreign key, on any engine. */
export function isDangling(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23503" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?FOREIGN KEY constraint/.test(fault.message)),
  );
}

/**
 * Whether an error means that the database cannot serve now but may soon: disk full, read-only or busy, unreachable,
 * restarting, too many connections. HTTP answers 503 to it.
 */
export function isUnavailable(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.lost ||
      fault.connecting ||
      (isSqlite(fault) && unavailableSqlite.has(primaryCode(fault))) ||
      unavailableSqlState.test(fault.code) ||
      unreachable.has(fault.code) ||
      lostConnection.test(fault.message),
  );
}

/** Whether SQLite gave up because another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return causes(error).some((fault) => isSqlite(fault) && primaryCode(fault) === 5);
}

/** Whether PostgreSQL undid a transaction only because of its neighbours: the same again may succeed. */
export function isRetryable(error: unknown): boolean {
  return causes(error).some(({ code }) => code === "40001" || code === "40P01");
}

/** SQLite undid a shared transaction as a whole because of one failed statement: the neighbours of that statement fail with this. */
export class TransactionLost extends Error {
  constructor(cause: unknown) {
    super("SQLite has undone the transaction.", { cause });
  }
}

interface ErrorTraits {
  readonly lost: boolean;
  readonly connecting: boolean;
  readonly code: string;
  readonly number: number;
  readonly message: string;
}

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL. */
const unavailableSqlite = new Set([5, 6, 8, 10, 13, 14, 15]);

/** Connection lost, statement timed out, out of resources, serialization and deadlock after retries, read-only, lock not available, shutting down, I/O error. */
const unavailableSqlState = /^(08|53|40001|40P01|25006|55P03|57014|57P0[1-5]|58030)/;

/** What befalls a connection, and a disk. One to a name with several addresses fails without a `syscall`. */
const unreachable = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOSPC EDQUOT EROFS".split(
    " ",
  ),
);

/** What pg says, without a code, of a connection that broke or could not be had in time. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

function isSqlite({ code }: ErrorTraits): boolean {
  return code === "ERR_SQLITE_ERROR" || code.startsWith("SQLITE_");
}

function primaryCode({ number }: ErrorTraits): number {
  return number & 0xff;
}

function causes(error: unknown): ErrorTraits[] {
  const faults: ErrorTraits[] = [];
  for (let at = error; at instanceof Error && faults.length < 8; at = at.cause) faults.push(traitsOf(at));
  return faults;
}

function traitsOf(error: Error): ErrorTraits {
  const code: unknown = Reflect.get(error, "code");
  // `sqlite3` calls its number errno, `node:sqlite` errcode.
  const number: unknown = Reflect.get(error, "errcode") ?? Reflect.get(error, "errno");
  return {
    lost: error instanceof TransactionLost,
    connecting: Reflect.get(error, "syscall") === "connect",
    code: typeof code === "string" ? code : "",
    number: typeof number === "number" ? number : 0,
    message: error.message,
  };
}
