import type { ComponentChildren } from "preact";
import { safeAddress } from "./safe-address.ts";

export interface ExternalLinkProps {
  readonly to: string;
  readonly children?: ComponentChildren;
}

/** A link to another site, which does not learn where it was followed. Plain text if the address is not safe to link. */
export const ExternalLink = ({ to, children = to }: ExternalLinkProps) => {
  const address = safeAddress(to);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};
