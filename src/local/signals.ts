export interface Signals {
  /** Aborts with the first signal. */
  readonly first: AbortSignal;
  /** The first signal. */
  received(): NodeJS.Signals | undefined;
  /** Sends all later signals on. */
  forward(send: (signal: NodeJS.Signals) => void): void;
}

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** Takes the signals of this process, which no longer end it. */
export function takeSignals(): Signals {
  const arrived = new AbortController();
  let first: NodeJS.Signals | undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  for (const signal of process.platform === "win32" ? passedOn.slice(0, 3) : passedOn) {
    const before = process.listeners(signal);
    // First, since a signal without a listener, if only for a moment, ends the process or is lost.
    process.on(signal, () => {
      first ??= signal;
      arrived.abort();
      if (!isFromTerminal(signal)) send?.(signal);
    });
    for (const listener of before) process.off(signal, listener);
  }
  return {
    first: arrived.signal,
    received: () => first,
    forward(target) {
      send = target;
    },
  };
}

/** A terminal sends Ctrl-C and Ctrl-\ to every program in front: the command has got them already. */
const isFromTerminal = (signal: NodeJS.Signals): boolean =>
  (signal === "SIGINT" || signal === "SIGQUIT") && Boolean(process.stdin.isTTY);
