import type { ComponentChildren } from "preact";
import { safeAddress } from "./safe-address.ts";

export interface ExternalLinkProps {
  readonly to: string;
  readonly children?: ComponentChildren;
}

/** A link out of the console, which tells nobody where it was followed; plain text where it is not of the web. */
export const ExternalLink = ({ to, children = to }: ExternalLinkProps) => {
  const address = safeAddress(to);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};
