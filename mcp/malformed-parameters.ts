import { type JSONRPCMessage, type McpServer, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { at, listAt, textAt } from "./json.ts";

/**
 * Lets a server say in a sentence what is wrong with the parameters of a request. The SDK sends the faults that it found
 * as JSON, for most methods as an error of the server.
 */
export function explainMalformedParameters(server: McpServer): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(explained(message), options);
    return connect(transport);
  };
}

function explained(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const fault = faultsIn(message.error.message)[0];
  if (fault === undefined) return message;
  return { ...message, error: { code: ProtocolErrorCode.InvalidParams, message: sentenceOf(fault) } };
}

/** The faults in the text of an error of the SDK; none if it is a text of another kind. */
function faultsIn(text: string): unknown[] {
  const json = /^(?:Invalid tools\/call request: )?(\[\s*\{.*\}\s*\])$/s.exec(text)?.[1];
  if (json === undefined) return [];
  try {
    return listAt({ faults: JSON.parse(json) }, "faults").filter((fault) => Array.isArray(at(fault, "path")));
  } catch {
    return [];
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
};

function sentenceOf(fault: unknown): string {
  const names = listAt(fault, "path").map(String);
  const path = (names[0] === "params" ? names.slice(1) : names).join(".").slice(0, 200);
  const subject = path === "" ? "The parameters" : `The parameter \`${path}\``;
  const kind = path === "" ? undefined : kinds[textAt(fault, "expected")];
  const isMissing = textAt(fault, "message").endsWith("received undefined");
  if (kind && isMissing) return `${subject} is missing; it must be ${kind}.`;
  if (kind) return `${subject} must be ${kind}.`;
  return `${subject} ${path === "" ? "do" : "does"} not have the form that the protocol names.`;
}
