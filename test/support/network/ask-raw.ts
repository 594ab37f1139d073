import { connectRaw } from "./raw-connection.ts";

/** Bytes of one or more requests, and their methods. */
export interface RawRequest {
  readonly bytes: string;
  readonly methods: readonly string[];
}

/**
 * Sends bytes over a new connection. Returns the bytes of the answers, or the bytes that came before the server closed
 * the connection.
 */
export async function askRaw(baseUrl: string, { bytes, methods }: RawRequest): Promise<string> {
  const connection = await connectRaw(baseUrl);
  connection.write(bytes);
  try {
    return await connection.read({ test: (received: string) => isWhole(received, methods) });
  } finally {
    await connection.cut();
  }
}

/** Whether the text contains a complete answer to each of these requests. */
function isWhole(received: string, methods: readonly string[]): boolean {
  let rest = received;
  for (const method of methods) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = rest.slice(0, end);
    const hasBody = method !== "HEAD" && !/^HTTP\/1\.1 (204|304) /.test(head);
    const length = hasBody ? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) : 0;
    if (rest.length < end + 4 + length) return false;
    rest = rest.slice(end + 4 + length);
  }
  return true;
}
