import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { type Fields, isId, isObject } from "../src/contract/json.ts";

/** Whether a value is a message of JSON-RPC, in the form that the protocol requires. */
export const isMessage = (value: unknown): boolean =>
  isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);

/** Whether a value is a response, or was probably meant to be one. */
export const isLikeResponse = (value: unknown): boolean =>
  isObject(value) && !("method" in value) && ("result" in value || "error" in value);

/** Returns the answer to a value that is no message. It contains the id of the value, if any. */
export function refusalOfMessage(value: unknown) {
  // The id of a response is not repeated: a request of the client could have the same id.
  const id = isObject(value) && !isLikeResponse(value) ? value.id : null;
  return refusalWith(typeof id === "string" || typeof id === "number" ? id : null, faultsOf(value).join(" "));
}

/** Returns the answer to an array of messages that is refused as a whole. */
export const refusalOfBatch = (message: string) => refusalWith(null, message);

const refusalWith = (id: string | number | null, message: string) => ({
  jsonrpc: "2.0" as const,
  id,
  error: { code: ProtocolErrorCode.InvalidRequest, message },
});

function faultsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return ["Send one JSON-RPC message, as an object."];
  if (isLikeResponse(value)) return ["The response does not have the form that JSON-RPC requires."];
  const wrong = [
    value.jsonrpc !== "2.0" && 'The field `jsonrpc` must be "2.0".',
    typeof value.method !== "string" && "The field `method` must be a string.",
    "id" in value && !isId(value.id) && "The field `id` must be a string or an integer.",
    paramsFault(value),
    Object.keys(value).some((name) => !fieldNames.has(name)) &&
      "The message may only have the fields `jsonrpc`, `id`, `method` and `params`.",
  ].filter((fault) => fault !== false);
  return wrong.length > 0
    ? wrong
    : ["The field `params._meta` does not have the form that the protocol requires."];
}

const fieldNames: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);

const paramsFault = (value: Fields): string | false =>
  "params" in value && !isObject(value.params) && "The field `params` must be an object.";
