import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/**
 * Finds the client's address. X-Forwarded-For is believed only as far as trusted proxies wrote it: the client is the
 * last entry that is not a trusted proxy. If that entry is not an address, no earlier entry is believed.
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
 * The key under which an address is counted: the address itself, or for IPv6 its network of 64 bits, which one customer
 * has.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

/** The address as the system writes it, with IPv4 over IPv6 written as IPv4. */
const peerOf = ({ socket }: IncomingMessage): string => {
  const { remoteAddress = "" } = socket;
  return remoteAddress.startsWith("::ffff:") ? plain(remoteAddress) : remoteAddress;
};

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string => {
  const [, bracketed, plainV4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plainV4 ?? entry;
};

const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
