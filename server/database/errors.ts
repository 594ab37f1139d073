/** Whether an error means that the row already exists: a unique index or a primary key, on any engine. */
export function isConflict(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23505" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?UNIQUE constraint/.test(fault.message)),
  );
}

/** Whether an error means that a row would refer to a row that is gone: a foreign key, on any engine. */
export function isDangling(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23503" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?FOREIGN KEY constraint/.test(fault.message)),
  );
}

/**
 * Whether an error means that the database is temporarily unavailable: disk full, read-only, busy, unreachable,
 * restarting or out of connections. HTTP answers 503.
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

/** Whether PostgreSQL undid a transaction only because of concurrent transactions, so that a repeat may succeed. */
export function isRetryable(error: unknown): boolean {
  return causes(error).some(({ code }) => code === "40001" || code === "40P01");
}

/**
 * Whether PostgreSQL refused a statement of several rows and undid it, so that each row may be tried alone. False if it is
 * unknown what was stored, and if the database has no time or room for another try.
 */
export function isRefused(error: unknown): boolean {
  const mayWork = isRetryable(error) || isLocked(error) || !isUnavailable(error);
  return mayWork && error instanceof Error && typeof Reflect.get(error, "severity") === "string";
}

/** Whether PostgreSQL gave up because another transaction holds a lock. */
function isLocked(error: unknown): boolean {
  return causes(error).some(({ code }) => code === "55P03");
}

/**
 * SQLite undid a whole shared transaction because one statement failed. The other units of that transaction fail with
 * this error.
 */
export class TransactionLost extends Error {
  constructor(cause: unknown) {
    super("SQLite rolled back the transaction.", { cause });
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

/**
 * Connection lost, statement timed out, out of resources, serialization and deadlock after retries, read-only, lock not
 * available, shutting down, I/O error.
 */
const unavailableSqlState = /^(08|53|40001|40P01|25006|55P03|57014|57P0[1-5]|58030)/;

/** Codes of errors of a connection or a disk. A failed connection to a name with several addresses has no `syscall`. */
const unreachable = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOSPC EDQUOT EROFS".split(
    " ",
  ),
);

/** Messages, without a code, of pg for a broken connection and for a connection that took too long. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

function isSqlite({ code }: ErrorTraits): boolean {
  return code === "ERR_SQLITE_ERROR" || code.startsWith("SQLITE_");
}

function primaryCode({ number }: ErrorTraits): number {
  return number & 0xff;
}

function causes(error: unknown): ErrorTraits[] {
  const found: ErrorTraits[] = [];
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(traitsOf(at));
  return found;
}

function traitsOf(error: Error): ErrorTraits {
  const code: unknown = Reflect.get(error, "code");
  // The number is `errno` in `sqlite3` and `errcode` in `node:sqlite`.
  const number: unknown = Reflect.get(error, "errcode") ?? Reflect.get(error, "errno");
  return {
    lost: error instanceof TransactionLost,
    connecting: Reflect.get(error, "syscall") === "connect",
    code: typeof code === "string" ? code : "",
    number: typeof number === "number" ? number : 0,
    message: error.message,
  };
}
