/** Whether an error means that the row already exists, because it violates a unique index or a primary key. */
export function isConflict(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23505" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?UNIQUE constraint/.test(fault.message)),
  );
}

/** Whether an error means that a row refers to a row that does not exist. */
export function isDangling(error: unknown): boolean {
  return causes(error).some(
    (fault) =>
      fault.code === "23503" ||
      (isSqlite(fault) && /^(SQLITE_CONSTRAINT: )?FOREIGN KEY constraint/.test(fault.message)),
  );
}

/**
 * Whether the database is temporarily unavailable, such as busy, read-only, unreachable or full. The answer is then
 * 503.
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

/** Returns the kind of disk error. SQLite may report a full disk with the code 10 or 14. */
export function diskFaultOf(error: unknown): "full" | "full on PostgreSQL" | "perhaps full" | undefined {
  const cause = error instanceof TransactionLost ? error.cause : error;
  if (!(cause instanceof Error)) return undefined;
  const fault = traitsOf(cause);
  if (fault.code === "53100") return "full on PostgreSQL";
  if (!isSqlite(fault)) return undefined;
  const code = primaryCode(fault);
  if (code === 13) return "full";
  return code === 10 || code === 14 ? "perhaps full" : undefined;
}

/** Whether a call of SQLite failed because another process has locked the file. */
export function isBusy(error: unknown): boolean {
  return causes(error).some((fault) => isSqlite(fault) && primaryCode(fault) === 5);
}

/**
 * Whether PostgreSQL rolled back a transaction only because of concurrent transactions. The same transaction
 * may succeed if it runs again.
 */
export function isRetryable(error: unknown): boolean {
  return causes(error).some(({ code }) => code === "40001" || code === "40P01");
}

/** Whether PostgreSQL refused a statement outside a transaction and the connection still works. */
export function isRefused(error: unknown): boolean {
  const mayWork = isRetryable(error) || isLocked(error) || !isUnavailable(error);
  return mayWork && error instanceof Error && typeof Reflect.get(error, "severity") === "string";
}

/** Whether a statement of PostgreSQL failed because another transaction has locked the data. */
function isLocked(error: unknown): boolean {
  return causes(error).some(({ code }) => code === "55P03");
}

/** The error for all parts of a shared transaction that SQLite has rolled back. */
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

/** The SQLite codes BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN and PROTOCOL. */
const unavailableSqlite = new Set([5, 6, 8, 10, 13, 14, 15]);

/**
 * PostgreSQL codes: connection lost, out of resources, serialization failure, deadlock, read-only, lock not available,
 * timeout, shutdown, I/O error.
 */
const unavailableSqlState = /^(08|53|40001|40P01|25006|55P03|57014|57P0[1-5]|58030)/;

/**
 * Error codes of connections and disks. If several addresses are unreachable, the error has one of these
 * codes but no `syscall`.
 */
const unreachable = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENOSPC EDQUOT EROFS".split(
    " ",
  ),
);

/** Messages of pg for a broken connection and for a connection that took too long. These errors have no code. */
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
  // The driver `sqlite3` has the error code of SQLite in `errno`, and `node:sqlite` has it in `errcode`.
  const number: unknown = Reflect.get(error, "errcode") ?? Reflect.get(error, "errno");
  return {
    lost: error instanceof TransactionLost,
    connecting: Reflect.get(error, "syscall") === "connect",
    code: typeof code === "string" ? code : "",
    number: typeof number === "number" ? number : 0,
    message: error.message,
  };
}
