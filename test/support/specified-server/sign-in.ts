import { createHash, randomUUID } from "node:crypto";
import { fieldsOf, json, type Operations, refusal, secrets } from "./operation.ts";

/** The one https target that this deployment allows. */
export const redirectTarget = "https://relay.example/code";

export interface SignIn {
  /** The person approves the last request. Returns the code that the redirect would contain. */
  readonly approve: () => string;
}

/** The page to approve a device, and the exchange. No answer shows a client that a person has approved. */
export function signInOperations(): SignIn & { readonly operations: Operations } {
  let asked: URLSearchParams | undefined;
  let minted: { readonly code: string; readonly device: string; readonly challenge: string } | undefined;
  const approve = () => {
    if (!asked) throw new Error("No device asks.");
    const [device = "", challenge = ""] = [asked.get("device") ?? "", asked.get("challenge") ?? ""];
    minted = { code: randomUUID(), device, challenge };
    return minted.code;
  };
  const operations: Operations = {
    "GET /tavern/authorize": ({ query }) => {
      const redirect = query.get("redirect") ?? "";
      if (redirect !== redirectTarget && !/^(innkeep)?tavern:\/\//.test(redirect))
        return json(400, { code: "bad_redirect" });
      asked = query;
      return { status: 200, body: "<h1>Approve this device?</h1>", mediaType: "text/html" };
    },
    "POST /api/v1/testing/auth/exchange": (request) => {
      const { code, verifier, deviceId } = fieldsOf(request);
      const challenge = createHash("sha256").update(String(verifier)).digest("base64url");
      const known = minted;
      const fits = known?.code === code && known?.device === deviceId && known?.challenge === challenge;
      if (!fits) return refusal(400, "This code is not valid.", "invalid_code");
      minted = undefined;
      return json(201, {
        token: secrets.deviceToken,
        expiresAt: "2027-02-19T09:30:00.000Z",
        scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
        profile: { timezone: "Europe/London", isTester: true },
      });
    },
  };
  return { approve, operations };
}
