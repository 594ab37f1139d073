import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { proxyFor } from "../../client/proxy.ts";
import { proxyOf } from "../core/connection.ts";
import type { Context } from "../core/context.ts";
import { proxyNext } from "../core/failures.ts";
import { canLookUp, connects, type Secured, secures } from "./connection.ts";
import { type Finding, failure, ok, remark, warning } from "./finding.ts";

/** The variables of proxies and certificate authorities. */
export function checkNetworkVariables(context: Context): Finding[] {
  return [...checkProxies(context), ...checkAuthorities(context), ...checkTrust(context)];
}

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

function checkProxies({ env }: Context): Finding[] {
  const set = proxyVariables.filter((name) => env[name]);
  const faults = set.filter((name) => !isProxyAddress(env[name] ?? ""));
  const findings = faults.map((name) =>
    failure("proxy", {
      what: `${name} is not the address of an HTTP proxy.`,
      why: "Requests through it fail.",
      next: `Set it to an address such as http://proxy.example:3128, or remove it with \`unset ${name}\`.`,
    }),
  );
  const isIgnored = set.length === 0 && Boolean(env.ALL_PROXY || env.all_proxy);
  return isIgnored ? [...findings, ignoredProxy] : findings;
}

const ignoredProxy = warning("proxy", {
  what: "ALL_PROXY is set, and innkeep does not read it.",
  why: "Requests go straight to the server.",
  next: "Set HTTPS_PROXY and HTTP_PROXY instead.",
});

function isProxyAddress(given: string): boolean {
  const address = given.includes("://") ? given : `http://${given}`;
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

function checkAuthorities({ env }: Context): Finding[] {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  const fault = !existsSync(file)
    ? "does not exist"
    : readFileSync(file, "utf8").includes("-----BEGIN CERTIFICATE-----")
      ? undefined
      : "holds no certificate";
  if (fault === undefined) return [remark("authorities", `${file} adds certificate authorities.`)];
  return [
    failure("authorities", {
      what: `NODE_EXTRA_CA_CERTS names ${file}, which ${fault}.`,
      why: "Node ignores it, so a certificate of your own authority is not trusted.",
      next: "Name a PEM file with the certificate of the authority.",
    }),
  ];
}

const checkTrust = ({ env }: Context): Finding[] =>
  env.NODE_TLS_REJECT_UNAUTHORIZED === "0"
    ? [
        failure("certificates", {
          what: "NODE_TLS_REJECT_UNAUTHORIZED=0 turns the check of certificates off.",
          why: "Anybody between you and the server can read your credentials.",
          next: "Remove it with `unset NODE_TLS_REJECT_UNAUTHORIZED`, and name your authority in NODE_EXTRA_CA_CERTS.",
        }),
      ]
    : [];

/** Whether the server can be reached: its name, its port and its certificate. Those of the proxy if there is one. */
export async function checkConnection(context: Context, address: string): Promise<Finding[]> {
  const url = new URL(address);
  const proxy = proxyFor(url, proxyOf(context));
  const target = proxy === undefined || !URL.canParse(proxy) ? url : new URL(proxy);
  const through = target === url ? "" : ` (the proxy for ${url.host})`;
  const found = await checkName(target, through);
  if (found.some(({ state }) => state === "failure")) return found;
  return [...found, ...(await checkPort(context, target, through))];
}

async function checkName({ hostname }: URL, through: string): Promise<Finding[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return [];
  const reason = await canLookUp(host);
  if (reason === undefined) return [ok("dns", `${host}${through} has an address.`)];
  return [
    failure("dns", {
      what: `The name ${host}${through} cannot be looked up (${reason}).`,
      why: "No request can be sent.",
      next: through
        ? proxyNext
        : "Check the spelling in --base-url, INNKEEP_BASE_URL or `innkeep config list`, then your network or VPN.",
    }),
  ];
}

async function checkPort(context: Context, url: URL, through: string): Promise<Finding[]> {
  const reason = await connects(url);
  if (reason !== undefined) {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
    const serverNext = isLocal
      ? "Start it with `innkeep serve`, or name another with `innkeep config set server https://…`."
      : "Check the port in the address, the firewall, and whether the server runs.";
    const next = through ? proxyNext : serverNext;
    const what = `${url.host}${through} takes no connection (${reason}).`;
    return [failure("tcp", { what, why: "No request can be sent.", next })];
  }
  const found = ok("tcp", `${url.host}${through} takes connections.`);
  return url.protocol === "https:" ? [found, tlsFinding(context, url, await secures(url))] : [found];
}

const soonMs = 14 * 86_400_000;

function tlsFinding({ clock }: Context, { host }: URL, { reason, validTo }: Secured): Finding {
  if (reason !== undefined)
    return failure("tls", {
      what: `The certificate of ${host} is not accepted (${reason}).`,
      why: "Requests are refused, because somebody else could answer them.",
      next: "Name the certificate of your authority in NODE_EXTRA_CA_CERTS, or renew the certificate of the server.",
    });
  if (validTo && validTo.getTime() - clock.now().getTime() < soonMs)
    return warning("tls", {
      what: `The certificate of ${host} ends on ${validTo.toISOString().slice(0, 10)}.`,
      why: "After that no request is sent.",
      next: "Renew it, or tell the person who runs the server.",
    });
  return ok("tls", `The certificate of ${host} is accepted.`);
}
