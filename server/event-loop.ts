/** After this many milliseconds, long work waits for another turn of the event loop. */
const longTurn = 5;

/** When long work began in this turn. Undefined if there was none. */
let began: number | undefined;

/** The long work that waits for a turn. */
const waiting: (() => void)[] = [];

/**
 * Long work calls this before each of its pieces. If long work has filled this turn of the event loop, it waits until
 * the other long work had a turn, too. Other requests are answered in between.
 */
export async function waitIfTurnIsLong(): Promise<void> {
  if (began === undefined) begin();
  else if (performance.now() - began > longTurn) await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Work that may be long and has no pieces calls this first. Then its time counts as long work of this turn. */
export function noteLongWork(): void {
  if (began === undefined) begin();
}

function begin(): void {
  began = performance.now();
  // The first callback can still belong to this turn: the loop calls it after what it has read from connections.
  setImmediate(() => setImmediate(end));
}

function end(): void {
  began = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
}
