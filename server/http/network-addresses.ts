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

export const otherMachineRefusal = "The development server sends only to addresses of this machine";

/**
 * Creates a lookup that fails with `refusal` if an address is not allowed. The socket connects to the checked
 * addresses.
 */
const createCheckedLookup =
  (resolve: Resolve, isAllowed: (address: string) => boolean, refusal: string): LookupFunction =>
  (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address)))
        return callback(new Error(refusal), "", 0);
      return options.all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    });
  };

/** Creates a lookup that resolves a name only to public addresses. */
export const createPublicLookup = (resolve: Resolve): LookupFunction =>
  createCheckedLookup(resolve, isPublic, privateRefusal);

/** All public IPv6 addresses. The library also calls other addresses `unicast`, such as ::127.0.0.1. */
const publicIpv6 = ipaddr.parseCIDR("2000::/3");

/** Resolves a name, but only to public addresses. */
export const publicLookup = createPublicLookup(lookup);

/** Resolves a name, but only to addresses of this machine. */
export const loopbackLookup = createCheckedLookup(lookup, isLoopback, otherMachineRefusal);

/** Whether a URL's host is an address in a private network. False for a host name. */
export function isPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) && !isPublic(host);
}

/** Whether a URL's host is an address of this machine. Undefined for a host name, which needs DNS. */
export function isLoopbackAddress(hostname: string): boolean | undefined {
  const host = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) ? isLoopback(host) : undefined;
}

function isLoopback(given: string): boolean {
  return ipaddr.process(given).range() === "loopback";
}

function isPublic(given: string): boolean {
  const address = ipaddr.process(given);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(publicIpv6);
}
