import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Creates a function that finds the address of the client. If the connection does not come from a trusted
 * proxy, this is the address of the connection. The client can write anything into X-Forwarded-For, but trusted
 * proxies add their entries at its end. So the address of the client is the last entry that is not a trusted
 * proxy. If that entry is not an address, the result is the address of the connection.
 */
export function createAddressOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const networks = trustedProxies.map((network) => ipaddr.parseCIDR(network));
  const isTrusted = (address: string) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  };
  return (request) => {
    const peer = peerOf(request);
    if (networks.length === 0 || !isTrusted(peer)) return peer;
    const forwarded = String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((entry) => plain(withoutPort(entry.trim())));
    const client = forwarded.reverse().find((entry) => !isTrusted(entry));
    return client !== undefined && ipaddr.isValid(client) ? client : peer;
  };
}

/**
 * Returns the network of an address. Rate limits count all requests of one network together. For IPv4, this is the
 * address itself. For IPv6, it is the first 64 bits of the address, because one customer usually has all addresses with
 * these bits.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

/** Returns the address of the connection. An IPv4 address in IPv6 form becomes plain IPv4. */
const peerOf = ({ socket }: IncomingMessage): string => {
  const { remoteAddress = "" } = socket;
  return remoteAddress.startsWith("::ffff:") ? plain(remoteAddress) : remoteAddress;
};

/** Removes the port, because some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string => {
  const [, bracketed, plainV4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plainV4 ?? entry;
};

const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

export const privateRefusal = "The address is in a private network";

/** Finds every address of a name, as `dns.lookup` does. */
type Resolve = (
  name: string,
  options: LookupAllOptions,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const otherMachineRefusal = "The development server sends only to addresses of this machine";

/**
 * Creates a lookup that resolves a name only to allowed addresses. The socket connects to exactly these addresses, so a
 * change of the name in DNS after the check has no effect.
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

/**
 * All public IPv6 addresses are in 2000::/3. This check is needed, because the library also calls some other addresses
 * `unicast`, such as ::127.0.0.1.
 */
const publicIpv6 = ipaddr.parseCIDR("2000::/3");

/** Resolves a name, but only to public addresses. */
export const publicLookup = createPublicLookup(lookup);

/** Resolves a name, but only to addresses of this machine. */
export const loopbackLookup = createCheckedLookup(lookup, isLoopback, otherMachineRefusal);

/**
 * Whether the host of a URL is an address in a private network. Returns false for a host name, because only a DNS
 * lookup can find its addresses.
 */
export function isPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) && !isPublic(host);
}

/**
 * Whether the host of a URL is an address of this machine. Returns undefined for a host name, because only a DNS
 * lookup can find its addresses.
 */
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

/** The sender of a body: its credential, or its network address if it has none. */
export interface Sender {
  readonly id: string;
  readonly anonymous: boolean;
  readonly network: string;
}

/** Returns the sender of a body: the caller, or the network of the address if there is no caller. */
export const senderOf = (caller: { readonly id: string } | undefined, address: string): Sender => ({
  id: caller ? caller.id : networkOf(address),
  anonymous: !caller,
  network: networkOf(address),
});
