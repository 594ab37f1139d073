import type { Links } from "./links.ts";
import type { InvitedRead, InvitedRow } from "./page-reads.ts";
import { Line } from "./parts.tsx";

/**
 * Returns the invitation whose page has the address `to`. Undefined for other addresses, and if the invitation cannot
 * be used.
 */
export async function invitedTo(
  { links, invited }: { readonly links: Links; readonly invited: InvitedRead },
  to: string,
): Promise<Invited | undefined> {
  const start = links.invitation("");
  if (!to.startsWith(start)) return undefined;
  const [secret = ""] = to.slice(start.length).split(/[/?#]/, 1);
  const invitation = await invited(secret);
  return invitation && { ...invitation, secret };
}

/** An invitation, and the secret in its link. */
export interface Invited extends InvitedRow {
  readonly secret: string;
}

/** Shows the invitation to an app. Quotation marks separate the name of the app from the server's own words. */
export const InvitedTo = ({
  invited: { appName, role, email, invitedBy },
  next,
}: {
  readonly invited: InvitedRow;
  /** A sentence about what the person does on this page or on the next one. */
  readonly next: string;
}) => (
  <p>
    <Line text={invitedBy} /> invites you to work on the app “
    <Line text={appName} />
    ”. Your role is {role}. The invitation is for the address <Line text={email} />. {next}
  </p>
);
