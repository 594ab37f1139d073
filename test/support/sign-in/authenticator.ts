import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** The request of a page to an authenticator. */
interface Asked {
  readonly ceremony: string;
  readonly options: { readonly challenge: string };
}

export interface AuthenticatorTraits {
  readonly origin: string;
  readonly rpId: string;
}

/** A security key in software, as a browser would use it. */
export function createAuthenticator({ origin, rpId }: AuthenticatorTraits) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  /** The hash of the host, the flags, the counter. Flag 1: a person touched it; flag 64: the key follows. */
  const head = (flags: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count]);
  };

  return {
    create({ ceremony, options }: Asked) {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const cose = cborMap([
        [cborInt(1), cborInt(2)],
        [cborInt(3), cborInt(-7)],
        [cborInt(-1), cborInt(1)],
        [cborInt(-2), cborBytes(Buffer.from(x, "base64url"))],
        [cborInt(-3), cborBytes(Buffer.from(y, "base64url"))],
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
      const attestation = cborMap([
        [cborText("fmt"), cborText("none")],
        [cborText("attStmt"), cborMap([])],
        [cborText("authData"), cborBytes(Buffer.concat([head(65), credential]))],
      ]);
      return {
        ceremony,
        id: id.toString("base64url"),
        clientDataJSON: clientData("webauthn.create", options.challenge).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["usb"],
      };
    },

    prove({ ceremony, options }: Asked) {
      counter += 1;
      const data = clientData("webauthn.get", options.challenge);
      const authenticatorData = head(1);
      const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(data)]), privateKey);
      return {
        ceremony,
        id: id.toString("base64url"),
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: signature.toString("base64url"),
      };
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** The header of a CBOR value: its kind, and its number or length. */
function cborHead(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  if (value < 256) return Buffer.from([(kind << 5) | 24, value]);
  return Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}

const cborInt = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
