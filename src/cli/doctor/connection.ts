import { systemReason } from "../../words/system-reason.ts";

const limitMs = 5_000;

/** Why a name has no address; undefined if it has one. */
export async function canLookUp(host: string): Promise<string | undefined> {
  const { lookup } = await import("node:dns/promises");
  try {
    await lookup(host);
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);

const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** Why a server takes no connection; undefined if it takes one. */
export async function connects(url: URL): Promise<string | undefined> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect({ host: nameOf(url), port: portOf(url), timeout: limitMs });
    const end = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(silent));
    socket.once("error", (error) => end(systemReason(error)));
  });
}

const silent = `no answer within ${limitMs / 1_000} s`;

/** How a server's certificate was judged. */
export interface Secured {
  /** Why it is not accepted. */
  readonly reason?: string;
  readonly validTo?: Date;
}

/** Judges the certificate of a server as Node does for requests. */
export async function secures(url: URL): Promise<Secured> {
  const { connect } = await import("node:tls");
  const host = nameOf(url);
  const named = /^[\d.:]+$/.test(host) ? {} : { servername: host };
  return new Promise((resolve) => {
    const socket = connect({ host, port: portOf(url), rejectUnauthorized: true, timeout: limitMs, ...named });
    const end = (found: Secured) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("secureConnect", () => end({ validTo: new Date(socket.getPeerCertificate().valid_to) }));
    socket.once("timeout", () => end({ reason: silent }));
    socket.once("error", (error) => end({ reason: systemReason(error) }));
  });
}
