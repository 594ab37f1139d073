import { isJSONRPCRequest, type JSONRPCMessage, type McpServer } from "@modelcontextprotocol/server";
import { textAt, valueAt } from "../src/contract/json.ts";
import { tools } from "./tool-list.ts";

/** Passes items on one after another. */
interface Turns<Item> {
  /** Passes the item on when all earlier items have ended. */
  add(id: unknown, item: Item): void;
  /** Ends the item that was passed on last, if it has this id. */
  end(id: unknown): void;
  /** Removes and returns the item with this id. Returns undefined if it was passed on already. */
  remove(id: unknown): Item | undefined;
}

/**
 * Creates turns. Between two items the event loop has a turn, so that it can serve other clients. Without turns, the
 * requests of one array would hold the event loop and need memory for all their answers at the same time. (rule A64)
 */
function createTurns<Item>(pass: (item: Item) => void): Turns<Item> {
  const waiting: { readonly id: unknown; readonly item: Item }[] = [];
  let current: { readonly id: unknown } | undefined;

  const next = (): void => {
    const first = waiting.shift();
    current = first;
    if (first) pass(first.item);
  };

  return {
    add(id, item) {
      waiting.push({ id, item });
      if (!current) next();
    },
    end(id) {
      if (!current || current.id !== id) return;
      // No item has this id, so nothing else ends the pause.
      current = { id: Symbol("pause") };
      setImmediate(next);
    },
    remove(id) {
      const place = waiting.findIndex((each) => each.id === id);
      return place < 0 ? undefined : waiting.splice(place, 1)[0]?.item;
    },
  };
}

/** Whether a message is a request that must not run beside others. A wait for a decision may run beside others. */
const takesTurn = (message: unknown): message is JSONRPCMessage & { readonly id: string | number } =>
  isJSONRPCRequest(message) && !isWait(message);

/** Whether a message, or one message of an array, waits for a decision. */
export function isWait(message: unknown): boolean {
  if (Array.isArray(message)) return message.some(isWait);
  const params = valueAt(message, "params");
  return (
    valueAt(params, "name") === tools.getDecision.name &&
    valueAt(params, "arguments", "wait_seconds") !== undefined
  );
}

/** Returns the id of the request that a message cancels; undefined if it cancels none. */
const cancelledId = (message: unknown): unknown =>
  textAt(message, "method") === "notifications/cancelled"
    ? valueAt(message, "params", "requestId")
    : undefined;

/** Makes a server handle the requests of its connection one after another. */
export function handleInTurns(server: McpServer): McpServer {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    const handle = transport.onmessage;
    const send = transport.send.bind(transport);
    const turns = createTurns((act: () => void) => act());
    transport.send = (message, options) => {
      const sent = send(message, options);
      if (!("method" in message)) turns.end(message.id);
      return sent;
    };
    transport.onmessage = (message, extra) => {
      if (takesTurn(message)) return turns.add(message.id, () => handle?.(message, extra));
      const cancelled = cancelledId(message);
      turns.remove(cancelled)?.();
      handle?.(message, extra);
      turns.end(cancelled);
    };
  };
  return server;
}
