export interface Signals {
  subscribe(listener: (topic: string) => void): () => void;
  /**
   * Calls every listener with every topic. An error of a listener is thrown later, so that it does not reach the sender.
   */
  emit(topics: Iterable<string>): void;
}

/** Creates the signals of one process. */
export function createSignals(): Signals {
  const listeners = new Set<{ hear(topic: string): void }>();

  function tell(listener: { hear(topic: string): void }, topic: string): void {
    try {
      listener.hear(topic);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  return {
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(topics) {
      for (const topic of topics) for (const listener of listeners) tell(listener, topic);
    },
  };
}
