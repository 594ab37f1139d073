import {
  type AuditActionName,
  type AuditChange,
  type AuditEntry,
  audit,
} from "../../../src/contract/audit.ts";
import { type Token, tokens } from "../../../src/contract/credentials.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { text } from "../../../src/contract/fields.ts";
import { limits } from "../../../src/contract/limits.ts";
import { visibleLine } from "../../../src/words/visible.ts";
import { type Definitions, definePage, type SignedInVisit, type Visit } from "../../console/definitions.ts";
import { draftFieldOf, type Filled, filledWith, Select, TextField } from "../../console/forms.tsx";
import { ConsolePage, type Navigation, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { Empty, Line, Pager, Person } from "../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../console/respond.tsx";
import { Timestamp } from "../../console/times.tsx";
import { editLabels } from "../../feedback/threads/badges.tsx";
import { actorParts, type NamedTarget, type NamedToken } from "./api.ts";
import { endOfDay, startOfDay } from "./rules.ts";

/** If a field of the filter is wrong, the page shows the error and no entries. */
async function showAudit(visit: SignedInVisit): Promise<Reply> {
  const { ask, reads, query } = visit;
  const navigation = await navigationOf(visit);
  const filter = auditFilterOf(visit);
  const refusal = refusalOf(filter);
  const cursor = query("cursor");
  const { items, nextCursor } = refusal
    ? { items: [], nextCursor: null }
    : await ask(audit.list, { query: { cursor, ...auditQueryOf(filter) } });
  const [targets, tokensOfEntries, { items: liveTokens }] = await Promise.all([
    reads.auditTargets(items),
    reads.auditTokens(items),
    ask(tokens.list),
  ]);
  const named = { targets, tokens: tokensOfEntries };
  const form = { ...filledWith(filter), refusal };
  return show(
    <Audit {...{ navigation, filter, form, liveTokens, cursor, items, nextCursor, ...named }} />,
    refusal?.status,
  );
}

const Audit = (
  props: AuditEntriesProps & {
    readonly filter: AuditFilter;
    readonly form: Filled;
    readonly liveTokens: AuditFiltersProps["tokens"];
    readonly cursor: string;
    readonly nextCursor: string | null;
  },
) => {
  const { navigation, filter, form, liveTokens, cursor, items, nextCursor } = props;
  const at = (values: Record<string, string>) =>
    auditAddress(navigation.links.audit, { ...filter, ...values });
  return (
    <ConsolePage navigation={navigation} title="Audit log">
      <div class="head">
        <div>
          <h1>Audit log</h1>
          <p>What was done in your account and your apps, newest first.</p>
        </div>
      </div>
      <AuditFilters navigation={navigation} form={form} tokens={liveTokens} />
      {items.length === 0 ? (
        <Empty title="Nothing matches">
          <p>{form.refusal ? "Please correct the marked fields." : "The audit log has no such entry."}</p>
          <div class="actions">
            <a class="button" href={navigation.links.audit}>
              Show everything
            </a>
          </div>
        </Empty>
      ) : (
        <AuditEntries {...props} />
      )}
      <Pager
        first={cursor === "" ? undefined : at({})}
        next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
      />
    </ConsolePage>
  );
};

interface AuditEntriesProps {
  readonly items: readonly AuditEntry[];
  readonly navigation: Navigation;
  /** The targets of the entries, by id. */
  readonly targets: ReadonlyMap<string, NamedTarget>;
  /** The tokens by which the actions were done, by id. */
  readonly tokens: ReadonlyMap<string, NamedToken>;
}

const AuditEntries = ({ items, navigation, targets, tokens }: AuditEntriesProps) => (
  <section class="scroll" aria-label="Entries">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">App</th>
          <th scope="col">Who</th>
          <th scope="col">IP address</th>
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

/** Shows who did the action, and with which token. Without a recorded label, shows the token's id. */
const Actor = ({
  actor,
  navigation,
  tokens,
}: Pick<EntryProps, "navigation" | "tokens"> & { readonly actor: string }) => {
  const { name, tokenId } = actorParts(actor);
  if (tokenId === undefined) return <Person email={name} />;
  const token = tokens.get(tokenId);
  return (
    <>
      <Person email={name} />
      <div class="muted" title={tokenId}>
        Token <TokenName token={token} id={tokenId} href={navigation.links.tokens} />
      </div>
    </>
  );
};

const TokenName = ({
  token,
  id,
  href,
}: {
  readonly token: NamedToken | undefined;
  readonly id: string;
  readonly href: string;
}) => {
  if (!token) return <>{`${id.slice(0, 8)}…, revoked`}</>;
  const label = <Line text={token.label || "without a label"} />;
  return token.revoked ? <>{label}, revoked</> : <a href={href}>{label}</a>;
};

type TargetLocation = NonNullable<NamedTarget["location"]>;

/** Shows the target's name, or the beginning of its id. Hides the id of an app, session or account. */
const Target = ({
  entry,
  target,
  links,
}: Pick<EntryProps, "entry" | "target"> & { readonly links: Links }) => {
  if (target) {
    const name = <Line text={target.name || "Without a name"} />;
    const href = target.location && hrefOf(links, target.location);
    return <div>{href === undefined ? name : <a href={href}>{name}</a>}</div>;
  }
  const known =
    entry.target === null || entry.target === entry.appId || /^(session|user)\./.test(entry.action);
  return known ? null : <div class="muted" title={entry.target ?? ""}>{`${entry.target?.slice(0, 8)}…`}</div>;
};

/** Returns the address of the page that shows a target; undefined if there is no such page. */
function hrefOf(links: Links, { kind, appId, id }: TargetLocation): string | undefined {
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
    case "tag":
      return links.tags(appId);
    case "saved_reply":
      return links.savedReplies(appId);
    case "view":
      return links.inbox(appId);
    case "thread":
    case "message":
    case "run":
      return links.thread(appId, id);
  }
}

const AppName = ({ id, navigation }: { readonly id: string | null; readonly navigation: Navigation }) => {
  if (id === null) return null;
  const app = navigation.apps.find((known) => known.id === id);
  return app ? <Line text={app.name} /> : <span class="muted">Deleted</span>;
};

const fieldNames: Readonly<Record<string, string>> = {
  ...editLabels,
  tags: "Tags",
  statusLink: "Link to the sender's page",
  delivery: "Delivery",
  role: "Role",
  snoozedUntil: "Snoozed until",
  releaseType: "Kind of release",
  bodyFormat: "What changed",
  items: "Changes",
  versions: "Versions by platform",
  feedbackIds: "Fixes threads",
  translations: "Translations",
  feedbackEnabled: "Accept feedback",
  changelogEnabled: "Show the release notes",
  senderPages: "Sender pages",
  chatFormat: "Chat",
  chatWebhookUrl: "Chat webhook",
  colour: "Colour",
  query: "Filters",
  shared: "Shared",
  url: "Address",
  events: "Events",
  texts: "With texts",
  enabled: "Turned on",
};

/** Returns the label of a field in the console's forms, otherwise its name in the API. */
const nameOfField = (field: string): string => fieldNames[field] ?? draftFieldOf(field)?.label ?? field;

/** Shows the changed fields, with old and new values. Shows no values of secrets and long texts. */
const AuditChanges = ({ changes = [] }: { readonly changes: readonly AuditChange[] | undefined }) =>
  changes.length === 0 ? null : (
    <ul class="plain small">
      {changes.map(({ field, ...change }) => (
        <li key={field}>
          <Line text={nameOfField(field)} />
          {change.to !== undefined && (
            <>
              {": "}
              {change.from !== undefined && (
                <>
                  <Value of={change.from} /> →{" "}
                </>
              )}
              <Value of={change.to} />
            </>
          )}
        </li>
      ))}
    </ul>
  );

const Value = ({ of }: { readonly of: string | null }) => {
  if (of === null) return <span class="muted">none</span>;
  if (instant.test(of)) return <Timestamp at={of} />;
  return <Line text={valueWords[of] ?? of} />;
};

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

const valueWords: Readonly<Record<string, string>> = { true: "yes", false: "no" };

interface AuditFiltersProps {
  readonly navigation: Navigation;
  readonly form: Filled;
  /** The tokens that the field for the actor suggests. */
  readonly tokens: readonly Token[];
}

/** The form that filters the audit log by app, action, person or token, and days. */
const AuditFilters = ({ navigation, form, tokens }: AuditFiltersProps) => (
  <search>
    <form class="card stack filter-form" method="get" action={navigation.links.audit}>
      <div class="columns many">
        <Select
          form={form}
          name="app"
          label="App"
          options={[
            ["", "All apps"],
            ...navigation.apps.map(({ id, name }) => [id, visibleLine(name)] as const),
          ]}
        />
        <Select form={form} name="action" label="What was done" options={actions()} />
        <TextField
          form={form}
          name="actor"
          label="Who"
          placeholder="E-mail, token"
          maxLength={limits.email}
          autocomplete="off"
          list="actors"
        />
        <TextField form={form} name="from" label="First day (UTC)" type="date" />
        <TextField form={form} name="until" label="Last day (UTC)" type="date" />
      </div>
      <datalist id="actors">
        <option value={navigation.email} label={navigation.people.get(navigation.email)?.name} />
        <option value="agent" label="Every agent" />
        {tokens.map(({ id, label }) => (
          <option key={id} value={id} label={`Token ${visibleLine(label)}`} />
        ))}
      </datalist>
      <div class="actions">
        <button type="submit">Filter</button>
      </div>
    </form>
  </search>
);

const actions = (): (readonly [string, string])[] => [
  ["", "Everything"],
  ...[...auditActionNames].sort(([, a], [, b]) => a.localeCompare(b, "en")),
];

const actionNames: Readonly<Record<AuditActionName, string>> = {
  "session.create": "Signed in",
  "session.delete": "Signed out",
  "session.end": "Ended a session of another browser",
  "session.end_others": "Ended all other sessions",
  "second_factor.enable": "Turned the second factor on",
  "second_factor.disable": "Turned the second factor off",
  "second_factor.new_codes": "Created new recovery codes",
  "second_factor.recovery_code": "Used a recovery code",
  "passkey.create": "Added a passkey",
  "passkey.delete": "Removed a passkey",
  "user.create": "Created the account",
  "user.name": "Changed their name",
  "user.password": "Changed the password",
  "user.recover": "Set a new password with a mailed link",
  "identity.connect": "Connected a sign-in method",
  "retention.delete": "Old resolved threads were deleted",
  "person.erase": "Erased a person",
  "picture.create": "Added a picture for the FAQ or the release notes",
  "device.create": "Signed a device in",
  "device.delete": "Signed a device out",
  "app.create": "Created an app",
  "app.update": "Changed an app",
  "app.delete": "Deleted an app",
  "app.export": "Exported everything of an app",
  "app.import": "Imported an app",
  "invitation.create": "Invited a person",
  "invitation.delete": "Withdrew an invitation",
  "invitation.accept": "Accepted an invitation",
  "member.create": "Added a member",
  "member.update": "Changed the role of a member",
  "member.delete": "Removed a member, or left the app",
  "key.create": "Created a key",
  "key.regenerate": "Replaced a key",
  "key.delete": "Revoked a key",
  "token.create": "Created a token",
  "token.delete": "Revoked a token",
  "token.rotate": "Replaced the secret of a token",
  "connection.allow": "Allowed an agent to connect",
  "connection.create": "An agent connected",
  "connection.end": "A connection of an agent ended",
  "thread.test": "Sent a test report",
  "thread.update": "Changed a thread",
  "thread.reopen": "Answered a resolved thread, which opened it again",
  "thread.resolve": "Resolved a test failure, because the test has passed",
  "thread.delete": "Deleted a thread",
  "thread.assign": "Changed the assignee of a thread",
  "thread.snooze": "Snoozed a thread, or ended its snooze",
  "thread.merge": "Merged a thread into another",
  "thread.tag": "Changed the tags of a thread",
  "thread.unmerge": "Undid a merge of threads",
  "saved_reply.create": "Saved a reply for later use",
  "saved_reply.update": "Changed a saved reply",
  "saved_reply.delete": "Deleted a saved reply",
  "view.create": "Shared a view",
  "view.update": "Changed a shared view",
  "view.delete": "Deleted a shared view",
  "sender.block": "Blocked a sender",
  "sender.unblock": "Unblocked a sender",
  "sender.release": "Showed feedback of a blocked sender",
  "tag.create": "Created a tag",
  "tag.update": "Changed a tag",
  "tag.merge": "Merged a tag into another",
  "tag.delete": "Deleted a tag",
  "mail.take": "Added a mail from a program to its thread",
  "message.note": "Added a note",
  "message.outbound": "Replied to a sender",
  "run.propose": "Proposed a plan",
  "run.approve": "Approved a proposal",
  "run.reject": "Rejected a proposal",
  "run.request_changes": "Requested changes to a proposal",
  "run.replace": "Replaced a proposal with a newer one",
  "run.recall": "Recalled an approval",
  "run.expire": "An approval expired",
  "run.claim": "Claimed an approved proposal",
  "run.release": "Released the claim of a worker",
  "run.resume": "Resumed the claim of a worker",
  "run.progress": "Reported progress",
  "run.outcome": "Reported an outcome",
  "faq.create": "Wrote an FAQ entry",
  "faq.update": "Changed an FAQ entry",
  "faq.delete": "Deleted an FAQ entry",
  "faq.replace": "Replaced the FAQ",
  "faq.draft": "Wrote a draft of an FAQ entry",
  "faq.discard": "Discarded a draft of an FAQ entry",
  "faq.publish": "Published an FAQ entry",
  "listing.create": "Created a listing",
  "listing.update": "Changed a listing",
  "cycle.create": "Planned a cycle",
  "cycle.cancel": "Cancelled a cycle",
  "slot.accept": "Accepted a request for a slot",
  "slot.decline": "Declined a request for a slot",
  "slot.assign": "Assigned a slot to a tester",
  "slot.remove": "Removed a tester from a slot",
  "slot.rotate_key": "Replaced the test key of a slot",
  "slot.confirm_join": "Confirmed that a tester joined the store’s test",
  "changelog.create": "Wrote a release note",
  "changelog.update": "Changed a release note",
  "changelog.draft": "Wrote a draft of a release note",
  "changelog.discard": "Discarded a draft of a release note",
  "changelog.publish": "Published a release note",
  "changelog.delete": "Deleted a release note",
  "webhook.create": "Created a webhook",
  "webhook.update": "Changed a webhook",
  "webhook.delete": "Deleted a webhook",
  "webhook.rotate": "Replaced the secret of a webhook",
  "webhook.test": "Tested a webhook",
  "webhook.resend": "Sent an event to a webhook again",
  "webhook.replay": "Sent the events of a period to a webhook again",
};

/** The texts for audited actions, by the code of the action. The page shows an unknown action's code. */
export const auditActionNames: ReadonlyMap<string, string> = new Map(Object.entries(actionNames));

/** The filter of the audit log, as in the page's query. An empty value selects all entries. */
type AuditFilter = Readonly<Record<"app" | "action" | "actor" | "from" | "until", string>>;

const auditFilterOf = ({ query }: Pick<Visit, "query">): AuditFilter => ({
  app: query("app"),
  action: query("action"),
  actor: query("actor").trim(),
  from: query("from").trim(),
  until: query("until").trim(),
});

/** Creates the query for the API. `until` is the last day whose entries are shown. */
const auditQueryOf = ({ app, action, actor, from, until }: AuditFilter) => ({
  appId: app,
  action,
  actor,
  from: startOfDay(from) ?? "",
  to: endOfDay(until) ?? "",
});

/** Returns an error with the faults of all wrong fields of the filter; undefined if all fields are right. */
function refusalOf(filter: AuditFilter): ApiError | undefined {
  const days = (["from", "until"] as const)
    .filter((name) => filter[name] !== "" && startOfDay(filter[name]) === undefined)
    .map((path) => ({ path, message: "must be a day such as 2026-11-22" }));
  const actor = filter.actor === "" ? undefined : text(1, limits.email).safeParse(filter.actor).error;
  const issues = [...(actor?.issues ?? []).map(({ message }) => ({ path: "actor", message })), ...days];
  return issues.length === 0 ? undefined : new ApiError("bad_request", { issues });
}

/** Returns the address of the page. Its query contains the values that are not empty. */
const auditAddress = (page: string, values: Readonly<Record<string, string>>): string => {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return given.length === 0 ? page : `${page}?${new URLSearchParams(given)}`;
};

const auditPage = definePage({
  at: (links) => links.audit,
  needs: "account",
  show: showAudit,
});

export const definitions: Definitions = [auditPage];
