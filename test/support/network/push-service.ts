import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { jwtVerify } from "jose";
import { onTestFinished } from "vitest";
import { fieldsOf } from "../../../src/contract/json.ts";

/** A notice as it arrived at a push service. */
export interface ReceivedPush {
  /** The path of the browser's address. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type PushAnswer = number | "hang" | { readonly status: number; readonly retryAfter: string };

/** A push service on this machine, until the test has finished. */
export interface PushService {
  readonly origin: string;
  readonly received: ReceivedPush[];
  /** The next answers to a path, in order; then 201. `hang` never answers. */
  readonly answers: Map<string, PushAnswer[]>;
}

export async function startPushService(): Promise<PushService> {
  const received: ReceivedPush[] = [];
  const answers: PushService["answers"] = new Map();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = "", headers } = request;
    received.push({ path, headers, body: Buffer.concat(chunks) });
    const answer = answers.get(path)?.shift() ?? 201;
    if (answer === "hang") return;
    response.statusCode = typeof answer === "number" ? answer : answer.status;
    if (typeof answer !== "number") response.setHeader("Retry-After", answer.retryAfter);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, received, answers };
}

/** A browser with its own keys, which reads the messages of a push service. */
export function makeSubscriber({ origin }: Pick<PushService, "origin">) {
  const keys = createECDH("prime256v1");
  const publicKey = keys.generateKeys();
  const secret = randomBytes(16);
  const path = `/send/${randomBytes(12).toString("base64url")}`;
  return {
    path,
    subscription: {
      endpoint: origin + path,
      p256dh: publicKey.toString("base64url"),
      auth: secret.toString("base64url"),
    },
    /** The notice that the browser shows. The steps are those of RFC 8291 and RFC 8188, with HKDF as its two HMACs. */
    read({ body }: Pick<ReceivedPush, "body">): Readonly<Record<string, unknown>> {
      const [salt, rest] = [body.subarray(0, 16), body.subarray(21 + body.readUInt8(20))];
      const sender = body.subarray(21, 21 + body.readUInt8(20));
      const hmac = (key: Buffer, ...parts: (Buffer | string)[]) => {
        const made = createHmac("sha256", key);
        for (const part of parts) made.update(part);
        return made.digest();
      };
      const shared = hmac(secret, keys.computeSecret(sender));
      const input = hmac(shared, "WebPush: info\0", publicKey, sender, Buffer.from([1]));
      const pseudo = hmac(salt, input);
      const key = hmac(pseudo, "Content-Encoding: aes128gcm\0\u0001").subarray(0, 16);
      const nonce = hmac(pseudo, "Content-Encoding: nonce\0\u0001").subarray(0, 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce);
      decipher.setAuthTag(rest.subarray(-16));
      const padded = Buffer.concat([decipher.update(rest.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (body.readUInt32BE(16) < rest.length || end < 0) throw new Error("This is not one record.");
      return fieldsOf(JSON.parse(padded.subarray(0, end).toString()));
    },
  };
}

export type Subscriber = ReturnType<typeof makeSubscriber>;

/** Verifies the sender of a notice. Returns the public key and the claims of the token. (RFC 8292) */
export async function senderOf({ headers }: Pick<ReceivedPush, "headers">) {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ["ES256"] });
  return { key, payload, protectedHeader };
}
