import type { OldThreads } from "../../../src/contract/apps.ts";
import type { AppKey } from "../../../src/contract/keys.ts";
import { keys } from "../../../src/contract/keys.ts";
import { oldThreadsText } from "../../../src/contract/old-threads-text.ts";
import { By } from "../../console/by.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { HiddenFields } from "../../console/hidden-fields.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import { OriginalValues } from "../../console/original-values.tsx";
import type { LastChange } from "../../console/page-reads.ts";
import { Notice, Refused } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { ApiKeys, type KeyForms } from "./api-keys.tsx";
import { AppFields } from "./app-fields.tsx";
import { currentApp } from "./app-values.ts";

/** The forms of the settings page that were refused, and a key that was just made. */
export interface AppForms extends KeyForms {
  readonly edit?: Filled;
  readonly removal?: Filled;
  /** What saving the settings would delete. */
  readonly doomed?: Doomed;
}

/** Resolved threads that are older than a new setting keeps them. */
export interface Doomed extends OldThreads {
  readonly days: number;
}

export const appPage = (visit: SignedInVisit): Promise<Reply> => showApp(visit);

export async function showApp(visit: SignedInVisit, forms: AppForms = {}): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "settings");
  const { items } = await visit.ask(keys.list, { params: { appId: navigation.app.id } });
  const change = await visit.reads.appAuthor(navigation.app.id);
  const refusal = [forms.edit, forms.key, forms.removal].find((form) => form)?.refusal;
  return show(
    <AppSettings {...{ navigation, forms, change }} keys={items} now={visit.now} />,
    refusal?.status,
  );
}

interface AppSettingsProps {
  readonly navigation: AppNavigation;
  readonly keys: readonly AppKey[];
  readonly forms: AppForms;
  /** Who last changed the settings. */
  readonly change: LastChange | undefined;
  readonly now: Date;
}

const AppSettings = (props: AppSettingsProps) => {
  const { navigation, forms } = props;
  return (
    <ConsolePage navigation={navigation} title="Settings" narrow>
      <div class="head">
        <div>
          <h1>Settings</h1>
          {props.change && (
            <p>
              Changed <Ago at={props.change.at} now={props.now} />
              <By change={props.change} />
            </p>
          )}
        </div>
      </div>
      <div class="stack wide">
        <ApiKeys {...props} />
        <Edit navigation={navigation} form={forms.edit} doomed={forms.doomed} />
        {navigation.app.role === "owner" && (
          <p>
            <a href={navigation.links.data(navigation.app.id)}>
              Download everything of this app, or import one
            </a>
          </p>
        )}
        <Delete navigation={navigation} form={forms.removal} />
      </div>
    </ConsolePage>
  );
};

interface FormProps {
  readonly navigation: AppNavigation;
  readonly form: Filled | undefined;
}

interface EditProps extends FormProps {
  readonly doomed: Doomed | undefined;
}

const Edit = ({ navigation: { app, links }, form, doomed }: EditProps) => {
  const current = currentApp(app);
  return (
    <section class="stack" aria-labelledby="app">
      <h2 id="app">App</h2>
      <form class="card stack" method="post" action={links.app(app.id)} data-guards>
        <Refused refusal={form?.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} />
        {doomed && <DoomedThreads {...doomed} />}
        <AppFields form={form ?? filledWith(current)} />
        <div class="actions">
          <button class={doomed ? "danger" : "primary"} type="submit">
            {doomed ? "Save, and delete them" : "Save"}
          </button>
        </div>
      </form>
    </section>
  );
};

const DoomedThreads = ({ days, ...old }: Doomed) => (
  <>
    <HiddenFields values={[["seenDays", String(days)]]} />
    <Notice kind="attention">
      <b>Nothing is saved yet.</b> {oldThreadsText(old)} older than {days} days. The next daily cleanup would
      delete {old.threads === 1 ? "it" : "them"} with all files.
    </Notice>
  </>
);

const Delete = ({ navigation: { app, links }, form }: FormProps) => (
  <details class="reveal danger" open={form !== undefined}>
    <summary>Delete this app</summary>
    <form class="card stack" method="post" action={links.app(app.id, "delete")}>
      <Refused refusal={form?.refusal} />
      <p>
        All feedback with its files, the FAQ, the changelog, and every key and token of{" "}
        <Line text={app.name} /> are deleted permanently. Apps that use its keys are refused from then on.
      </p>
      <IdempotencyField />
      <TextField
        form={form ?? filledWith()}
        name="confirmation"
        label="Name of the app"
        autocomplete="off"
        hint={
          <>
            Type <Line text={app.name} /> to confirm.
          </>
        }
        required
      />
      <div class="actions">
        <button class="danger" type="submit">
          Delete the app permanently
        </button>
      </div>
    </form>
  </details>
);
