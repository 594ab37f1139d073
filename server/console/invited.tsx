import type { Links } from "./links.ts";
import type { InvitedRead, InvitedRow } from "./page-reads.ts";
import { Line } from "./parts.tsx";

/**
 * Returns the invitation if `to` is the address of an invitation page. Returns undefined for other addresses, and if
 * the invitation cannot be used.
 */
export async function invitedTo(
  { links, invited }: { readonly links: Links; readonly invited: InvitedRead },
  to: string,
): Promise<InvitedRow | undefined> {
  const start = links.invitation("");
  if (!to.startsWith(start)) return undefined;
  const [token = ""] = to.slice(start.length).split(/[/?#]/, 1);
  return invited(token);
}

/**
 * Describes an invitation to a person who signs in or creates an account to accept the invitation. The name of the app
 * is in quotation marks. The person who invites has chosen this name, and it must not look like a sentence of the
 * server.
 */
export const InvitedTo = ({
  invited: { appName, role, email, invitedBy },
  action,
}: {
  readonly invited: InvitedRow;
  /** The action of the person on this page, such as `Sign in`. */
  readonly action: string;
}) => (
  <p>
    <Line text={invitedBy} /> invites you to work on the app “
    <Line text={appName} />
    ”. Your role is {role}. The invitation is for the address <Line text={email} />. {action} with this
    address.
  </p>
);
