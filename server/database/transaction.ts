import type { Reader, Transaction } from "./database.ts";
import { insertStatement } from "./statements.ts";

/** The statements that an engine offers inside a transaction. */
export type Statements = Reader & Pick<Transaction, "run" | "lock">;

export interface WorkResult<Result> {
  readonly result: Result;
  readonly topics: ReadonlySet<string>;
}

/**
 * Runs `work` with the statements of one transaction. Runs one statement at a time and refuses statements after the work
 * has ended. A failed statement fails the whole work, even if the work catches its error: on PostgreSQL the transaction
 * cannot commit after it.
 */
export async function perform<Result>(
  work: (tx: Transaction) => Promise<Result>,
  statements: Statements,
): Promise<WorkResult<Result>> {
  const queue = createStatementQueue();
  const topics = new Set<string>();
  const tx: Transaction = {
    engine: statements.engine,
    get: (sql, ...values) => queue.next(() => statements.get(sql, ...values)),
    all: (sql, ...values) => queue.next(() => statements.all(sql, ...values)),
    run: (sql, ...values) => queue.next(() => statements.run(sql, ...values)),
    lock: (name) => queue.next(() => statements.lock(name)),
    insert(table, row) {
      const { sql, values } = insertStatement(table, row);
      return queue.next(async () => void (await statements.run(sql, ...values)));
    },
    signal(topic) {
      queue.assertOpen();
      topics.add(topic);
    },
  };
  const result = await runToEnd(work, tx, queue);
  queue.assertSound();
  return { result, topics };
}

async function runToEnd<Result>(
  work: (tx: Transaction) => Promise<Result>,
  tx: Transaction,
  queue: StatementQueue,
) {
  try {
    return await work(tx);
  } finally {
    await queue.end();
  }
}

interface StatementQueue {
  next<Result>(statement: () => Promise<Result>): Promise<Result>;
  assertOpen(): void;
  /** Refuses new statements and waits for those that the work did not await. */
  end(): Promise<void>;
  /** Throws the error of the first statement that failed. */
  assertSound(): void;
}

function createStatementQueue(): StatementQueue {
  let ended = false;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const late = () => new Error("This transaction has ended: its work must await every statement it makes.");

  function assertOpen(): void {
    if (ended) throw late();
  }

  function assertSound(): void {
    if (failure !== undefined) throw failure.error;
  }

  const start = <Result>(statement: () => Promise<Result>): Promise<Result> =>
    failure === undefined ? statement() : Promise.reject(failure.error);

  function next<Result>(statement: () => Promise<Result>): Promise<Result> {
    const running = waiting > 0 ? last.then(() => start(statement)) : start(statement);
    waiting++;
    last = running.then(
      () => void waiting--,
      (error: unknown) => {
        waiting--;
        failure ??= { error };
      },
    );
    return running;
  }

  return {
    assertOpen,
    assertSound,
    next: (statement) => (ended ? Promise.reject(late()) : next(statement)),
    async end() {
      ended = true;
      await last;
    },
  };
}
