import type { PasskeyCreation, PasskeyRequest } from "../../src/contract/passkeys.ts";

/** The attribute of a form whose script asks an authenticator. */
export const passkeyAttribute = (asked: PasskeyRequest | PasskeyCreation | null) =>
  asked === null ? {} : { "data-passkey": JSON.stringify(asked) };

export interface PasskeyPartsProps {
  readonly button: string;
  readonly primary?: boolean;
}

/** The field for the answer of an authenticator, and the button that asks for it. It is seen where scripts run. */
export const PasskeyParts = ({ button, primary = false }: PasskeyPartsProps) => (
  <>
    <input type="hidden" name="passkey" value="" />
    <button class={primary ? "primary" : undefined} type="button" data-asks-passkey hidden>
      {button}
    </button>
    <p class="fault" data-passkey-failed hidden>
      The device gave no passkey. Try again, or choose another way.
    </p>
  </>
);

/** What a script put into the field; undefined if it is not JSON. */
export function passkeyIn(sent: string): object | undefined {
  try {
    const answer: unknown = JSON.parse(sent);
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
