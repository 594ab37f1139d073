import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/**
 * The client's address. X-Forwarded-For is believed only as far as trusted proxies wrote it: the last entry that is
 * not one of them is the client.
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
    const peer = plain(request.socket.remoteAddress ?? "");
    if (networks.length === 0 || !isTrusted(peer)) return peer;
    const forwarded = String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((entry) => plain(entry.trim()))
      .filter((entry) => ipaddr.isValid(entry));
    return forwarded.reverse().find((entry) => !isTrusted(entry)) ?? peer;
  };
}

const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
