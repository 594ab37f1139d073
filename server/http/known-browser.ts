import { randomBytes } from "node:crypto";
import type { Sealer } from "../secrets/secrets.ts";

type Marking = Pick<Sealer, "mark">;

const mostAccounts = 5;

/**
 * A cookie that names the accounts to which a browser has signed in: a random id, and for each account a mark that only
 * this deployment can make. It grants no access. Failed sign-ins from elsewhere do not use up the limit of this browser.
 */
export const knownBrowser = {
  /** The browser's id, if the browser has signed in to this account. */
  idFor(sealer: Marking, kept: string | undefined, email: string): string | undefined {
    const [id = "", ...marks] = (kept ?? "").split(".");
    return marks.includes(markOf(sealer, id, email)) ? id : undefined;
  },

  /** The new value of the cookie: this account first, then the last few others. */
  withAccount(sealer: Marking, kept: string | undefined, email: string): string {
    const [found = "", ...marks] = (kept ?? "").split(".");
    const id = /^[\w-]{22}$/.test(found) ? found : randomBytes(16).toString("base64url");
    const own = markOf(sealer, id, email);
    const others = id === found ? marks.filter((mark) => mark !== own && /^[0-9a-f]{32}$/.test(mark)) : [];
    return [id, own, ...others.slice(0, mostAccounts - 1)].join(".");
  },
};

const markOf = ({ mark }: Marking, id: string, email: string): string =>
  mark(`known browser\n${id}\n${email}`).slice(0, 32);
