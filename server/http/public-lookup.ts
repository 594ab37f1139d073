import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export const privateRefusal = "The address is in a private network";

/** Finds every address of a name, as `dns.lookup` does. */
type Resolve = (
  name: string,
  options: LookupAllOptions,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Makes a lookup that resolves a name only to public addresses. A socket connects to what it gives: a name that has another
 * address a moment later leads nowhere else.
 */
export const createPublicLookup =
  (resolve: Resolve): LookupFunction =>
  (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublic(address)))
        return callback(new Error(privateRefusal), "", 0);
      return options.all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    });
  };

/** Resolves a name, but only to public addresses. */
export const publicLookup = createPublicLookup(lookup);

/** Whether the host of a URL is an address in a private network. A name is none: it must be looked up. */
export function isPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) && !isPublic(host);
}

/** Public IPv6 addresses lie in 2000::/3. The rest counts as unicast too, such as ::127.0.0.1. */
const publicIpv6 = ipaddr.parseCIDR("2000::/3");

function isPublic(given: string): boolean {
  const address = ipaddr.process(given);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(publicIpv6);
}
