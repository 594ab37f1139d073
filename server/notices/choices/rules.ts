import type { Role } from "../../../src/contract/endpoint.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import {
  type MailWay,
  type NoticeKind,
  type NoticeWay,
  noticeKinds,
  noticeWays,
  type OwnWay,
} from "../../../src/contract/notices.ts";

/** The rules for a kind of notice. (rule N1) */
interface KindRules {
  /** The lowest role that can get notices of this kind. */
  readonly least: Role;
  /** The lowest role that gets these notices by default; undefined if nobody does. */
  readonly onFor?: Role;
}

const kinds: Readonly<Record<NoticeKind, KindRules>> = {
  report: { least: "viewer" },
  answer: { least: "maintainer", onFor: "maintainer" },
  assigned: { least: "maintainer", onFor: "maintainer" },
  proposal: { least: "maintainer", onFor: "maintainer" },
  approval: { least: "maintainer", onFor: "maintainer" },
  work: { least: "maintainer", onFor: "maintainer" },
  slot: { least: "maintainer", onFor: "owner" },
  testers: { least: "maintainer", onFor: "owner" },
  storm: { least: "viewer", onFor: "owner" },
  delivery: { least: "owner", onFor: "owner" },
};

/**
 * The default ways in which a member gets notices. The way `browser` needs a browser with notices turned on.
 */
const ofDefault: readonly NoticeWay[] = ["mail", "browser"];

/** How many repeats within an hour cause a notice `storm`, unless the member has chosen another number. */
export const defaultStorm = 10;

/** The stored choice of a person who has ended all mail: the default ways without mail. (rule N6) */
const noMail = "no_mail";

type Choice = readonly NoticeWay[] | typeof noMail;

/** The ways that a member has chosen for each kind. A kind without an entry has the default ways. */
export type Choices = Readonly<Partial<Record<NoticeKind, Choice>>>;

const isWay = (name: unknown): name is NoticeWay => noticeWays.some((way) => way === name);

/** Reads stored choices. Ignores kinds and ways that this version does not have. */
export function choicesOf(stored: string | null): Choices {
  const given: object = Object(JSON.parse(stored ?? "{}"));
  const known = new Map(Object.entries(given));
  return Object.fromEntries(
    noticeKinds.flatMap((kind): [NoticeKind, Choice][] => {
      const ways: unknown = known.get(kind);
      if (ways === noMail) return [[kind, noMail]];
      return Array.isArray(ways)
        ? [[kind, noticeWays.filter((way) => ways.filter(isWay).includes(way))]]
        : [];
    }),
  );
}

/** Whether a role can get notices of a kind. */
export const mayGet = (role: Role, kind: NoticeKind): boolean => suffices(role, kinds[kind].least);

/** Returns the kinds that a role can get. */
export const kindsFor = (role: Role): readonly NoticeKind[] =>
  noticeKinds.filter((kind) => mayGet(role, kind));

/** Returns the ways that a role can choose for a kind. (rules A8, N8) */
export function offeredWays(role: Role, kind: NoticeKind): readonly NoticeWay[] {
  if (!mayGet(role, kind)) return [];
  // A viewer cannot choose the chat. Nobody can choose the chat for proposals, which are always posted there.
  const mayPost = kind !== "proposal" && suffices(role, "maintainer");
  return noticeWays.filter((way) => way !== "chat" || mayPost);
}

/** Returns the ways in which a member with this role gets notices of a kind. (rule N1) */
export function waysOf(role: Role, kind: NoticeKind, choices: Choices): readonly NoticeWay[] {
  const { onFor } = kinds[kind];
  const isOn = onFor !== undefined && suffices(role, onFor);
  const byDefault = isOn ? ofDefault : [];
  const chosen = choices[kind] ?? byDefault;
  const ways = chosen === noMail ? byDefault.filter((way) => !isMail(way)) : chosen;
  return offeredWays(role, kind).filter((way) => ways.includes(way));
}

/** Returns the choices after a change. Null for a kind restores its default. */
export function changedChoices(
  choices: Choices,
  given: Readonly<Partial<Record<NoticeKind, readonly NoticeWay[] | null | undefined>>>,
): Choices {
  return Object.fromEntries(
    noticeKinds.flatMap((kind): [NoticeKind, Choice][] => {
      const wanted = given[kind];
      const ways = wanted === undefined ? choices[kind] : wanted;
      if (ways === noMail) return [[kind, noMail]];
      return ways == null ? [] : [[kind, noticeWays.filter((way) => ways.includes(way))]];
    }),
  );
}

export const mailWays: readonly MailWay[] = ["mail", "daily"];

/** The ways in which a notice reaches only one member. A notice in the chat reaches everybody in the chat. */
export const ownWays: readonly OwnWay[] = [...mailWays, "browser"];

export const isOwn = (way: NoticeWay): way is OwnWay => ownWays.some((one) => one === way);

export const isMail = (way: NoticeWay): way is MailWay => mailWays.some((one) => one === way);

/** Returns the choices without mail. A later change of the role adds no mail. (rule N6) */
export const withoutMail = (choices: Choices): Choices =>
  Object.fromEntries(
    noticeKinds.map((kind) => {
      const chosen = choices[kind] ?? noMail;
      return [kind, chosen === noMail ? noMail : chosen.filter((way) => !isMail(way))];
    }),
  );

/**
 * Whether a member still wants a waiting notice. A change between `mail` and `daily` makes no difference.
 * (rules N1, N2)
 */
export const stillWants = (role: Role, choices: Choices, kind: NoticeKind, way: NoticeWay): boolean =>
  waysOf(role, kind, choices).some((one) => one === way || (isMail(one) && isMail(way)));
