import type { AuditEntry } from "../../../src/contract/audit.ts";
import { InTurns } from "../../console/in-turns.tsx";
import type { Links } from "../../console/links.ts";
import type { Navigation } from "../../console/navigation.ts";
import { Line } from "../../console/text.tsx";
import { Timestamp } from "../../console/timestamp.tsx";
import { auditActionNames } from "./audit-action-names.ts";
import { AuditChanges } from "./audit-changes.tsx";
import { actorParts, type NamedTarget, type NamedToken } from "./audit-names.ts";

export interface AuditEntriesProps {
  readonly items: readonly AuditEntry[];
  readonly navigation: Navigation;
  /** The targets of the entries, by id. */
  readonly targets: ReadonlyMap<string, NamedTarget>;
  /** The tokens by which the actions were done, by id. */
  readonly tokens: ReadonlyMap<string, NamedToken>;
}

/** The audit entries as a table. */
export const AuditEntries = ({ items, navigation, targets, tokens }: AuditEntriesProps) => (
  <section class="scroll" aria-label="Entries">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">App</th>
          <th scope="col">Who</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        <InTurns>
          {items.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              navigation={navigation}
              target={targets.get(entry.target ?? "")}
              tokens={tokens}
            />
          ))}
        </InTurns>
      </tbody>
    </table>
  </section>
);

interface EntryProps {
  readonly entry: AuditEntry;
  readonly navigation: Navigation;
  readonly target: NamedTarget | undefined;
  readonly tokens: AuditEntriesProps["tokens"];
}

const Entry = ({ entry, navigation, target, tokens }: EntryProps) => (
  <tr>
    <td class="fit">
      <Timestamp at={entry.at} />
    </td>
    <td>
      <b>{auditActionNames.get(entry.action) ?? entry.action}</b>
      <Target entry={entry} target={target} links={navigation.links} />
      <AuditChanges changes={entry.changes} />
    </td>
    <td>
      <AppName id={entry.appId} navigation={navigation} />
    </td>
    <td>
      <Actor actor={entry.actor} navigation={navigation} tokens={tokens} />
    </td>
    <td class="fit muted">{entry.address}</td>
  </tr>
);

interface ActorProps extends Pick<EntryProps, "navigation" | "tokens"> {
  readonly actor: string;
}

/** Who did it, and with which token. A token without a recorded label is shown by its id. */
const Actor = ({ actor, navigation, tokens }: ActorProps) => {
  const { name, tokenId } = actorParts(actor);
  if (tokenId === undefined) return <Line text={name} />;
  const token = tokens.get(tokenId);
  return (
    <>
      <Line text={name} />
      <div class="muted" title={tokenId}>
        Token <TokenName token={token} id={tokenId} href={navigation.links.tokens} />
      </div>
    </>
  );
};

interface TokenNameProps {
  readonly token: NamedToken | undefined;
  readonly id: string;
  readonly href: string;
}

const TokenName = ({ token, id, href }: TokenNameProps) => {
  if (!token) return <>{`${id.slice(0, 8)}…, revoked`}</>;
  const label = <Line text={token.label || "without a label"} />;
  return token.revoked ? <>{label}, revoked</> : <a href={href}>{label}</a>;
};

type SeenAt = NonNullable<NamedTarget["seenAt"]>;

interface TargetProps extends Pick<EntryProps, "entry" | "target"> {
  readonly links: Links;
}

/** The name of the target. Shows the id of a target that was deleted or has no name. */
const Target = ({ entry, target, links }: TargetProps) => {
  if (target) {
    const name = <Line text={target.name || "Without a name"} />;
    const href = target.seenAt && hrefOf(links, target.seenAt);
    return <div>{href === undefined ? name : <a href={href}>{name}</a>}</div>;
  }
  const known =
    entry.target === null || entry.target === entry.appId || /^(session|user)\./.test(entry.action);
  return known ? null : <div class="muted" title={entry.target ?? ""}>{`${entry.target?.slice(0, 8)}…`}</div>;
};

/** The page where a target can be seen; undefined when there is none. */
function hrefOf(links: Links, { kind, appId, id }: SeenAt): string | undefined {
  if (kind === "token" || kind === "connection") return links.tokens;
  if (appId === null) return undefined;
  switch (kind) {
    case "faq":
      return links.faq(appId, id);
    case "changelog":
      return links.entry(appId, id);
    case "key":
      return links.app(appId);
    case "listing":
      return links.listing(appId, id);
    default:
      return links.thread(appId, id);
  }
}

const AppName = ({ id, navigation }: { readonly id: string | null; readonly navigation: Navigation }) => {
  if (id === null) return null;
  const app = navigation.apps.find((known) => known.id === id);
  return app ? <Line text={app.name} /> : <span class="muted">Deleted</span>;
};
