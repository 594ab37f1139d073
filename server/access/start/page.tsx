import type { ComponentChildren } from "preact";
import { apps } from "../../../src/contract/apps.ts";
import { keys } from "../../../src/contract/credentials.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { type FirstSteps, start } from "../../../src/contract/start.ts";
import { threads } from "../../../src/contract/threads.ts";
import { type Definitions, defineForm, definePage, type SignedInVisit } from "../../console/definitions.ts";
import {
  Choices,
  type Filled,
  filledAgain,
  filledWith,
  HiddenFields,
  IdempotencyField,
  TextArea,
  versionOf,
} from "../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { Line, Notice, Refused, Secret, scrolledByKeys, UserText } from "../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../console/respond.tsx";
import { Ago } from "../../console/times.tsx";
import { Begin, kinds } from "./parts.tsx";

/**
 * Creates an app and its first key. Never redirects, because addresses and cookies must not contain the key.
 */
function begin(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const once = fields.idempotencyKey;
      const { id: appId } = await ask(apps.create, {
        body: { name: fields.text("name") },
        idempotencyKey: once && `${once}-app`,
      });
      const made = await makeKey(visit, appId);
      return showSteps(visit, { appId, forms: { key: made } });
    },
    async (refusal) => showBegin(visit, filledAgain(fields, refusal)),
  );
}

async function makeKey({ ask, fields }: SignedInVisit, appId: string): Promise<ShownKey> {
  const kind = kindIn(fields.text("kind"));
  const { key } = await ask(keys.create, {
    params: { appId },
    body: { label: kind === "full" ? "Server" : "App", kind },
    idempotencyKey: fields.idempotencyKey,
  });
  return { key, kind };
}

async function createKey(visit: SignedInVisit): Promise<Reply> {
  const appId = visit.param("appId");
  return showSteps(visit, { appId, forms: { key: await makeKey(visit, appId) } });
}

/** Sends a test report. If the current page shows a new key, the next page shows the key again. */
function sendTestReport(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const appId = param("appId");
  const key = shownKey(visit);
  return reshowForm(
    async () => {
      await ask(start.sendTestReport, { params: { appId }, idempotencyKey: fields.idempotencyKey });
      return showSteps(visit, { appId, forms: { key, sent: true } });
    },
    (refusal) => showSteps(visit, { appId, forms: { key, refused: filledAgain(fields, refusal) } }),
  );
}

/**
 * Returns the key that the previous page showed. The form contains it, because the server has only its hash.
 */
function shownKey({ fields }: SignedInVisit): ShownKey | undefined {
  const key = fields.text("key");
  return key === "" ? undefined : { key, kind: kindIn(fields.text("kind")) };
}

const kindIn = (text: string): ShownKey["kind"] => (text === "full" ? "full" : "intake");

/** Returns the kind of key that the person chose, from the form or the address. */
const chosenKind = ({ fields, query }: SignedInVisit): ShownKey["kind"] =>
  kindIn(fields.text("kind") || query("kind"));

/** The address contains the kind of key, so that a reload shows the example calls in the same order. */
const stepsAddress = (links: Links, appId: string, kind: ShownKey["kind"]): string =>
  kind === "full" ? `${links.start(appId)}?kind=full` : links.start(appId);

/** Answers the first report. One button also turns on sender pages, so that the sender sees the answer. */
function answer(visit: SignedInVisit): Promise<Reply<"first-answer">> {
  const { ask, fields, links, param } = visit;
  const appId = param("appId");
  return reshowForm(
    async () => {
      const once = fields.idempotencyKey;
      if (fields.text("pages") === "on")
        await ask(apps.update, {
          params: { appId },
          body: { senderPages: true },
          idempotencyKey: once && `${once}-pages`,
        });
      await ask(threads.addMessage, {
        params: { id: fields.text("thread") },
        body: { direction: "outbound", body: fields.text("replyBody") },
        idempotencyKey: once,
      });
      return goTo(stepsAddress(links, appId, chosenKind(visit)), "first-answer");
    },
    (refusal) =>
      showSteps(visit, {
        appId,
        forms: { key: shownKey(visit), answer: filledAgain(fields, asReply(refusal)) },
      }),
  );
}

/** Changes the name of the refused field from `body`, as in the API, to `replyBody`, as on the page. */
function asReply(refusal: ApiError): ApiError {
  const issues = refusal.details.issues?.map((issue) =>
    issue.path === "body" ? { ...issue, path: "replyBody" } : issue,
  );
  return issues ? new ApiError(refusal.code, { ...refusal.details, issues }) : refusal;
}

async function putAway({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"put-away">> {
  const params = { appId: param("appId") };
  await ask(start.putAway, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.inbox(params.appId), "put-away");
}

/** A new key. Only the browser and this answer have the key, because the server stores only its hash. */
interface ShownKey {
  readonly key: string;
  readonly kind: "full" | "intake";
}

interface StepForms {
  readonly key?: ShownKey | undefined;
  /** Whether a test report was just sent. */
  readonly sent?: boolean;
  readonly refused?: Filled;
  readonly answer?: Filled;
}

async function showBegin(visit: SignedInVisit, form?: Filled): Promise<Reply> {
  return show(<Begin navigation={await navigationOf(visit)} form={form} />, form?.refusal?.status);
}

async function showSteps(
  visit: SignedInVisit,
  { appId, forms = {} }: { readonly appId: string; readonly forms?: StepForms },
): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox", appId);
  const steps = await visit.ask(start.read, { params: { appId } });
  const refusal = forms.refused?.refusal ?? forms.answer?.refusal;
  const kind = chosenKind(visit);
  return show(<Steps {...{ navigation, steps, forms, kind, visit }} />, refusal?.status);
}

interface StepsProps {
  readonly navigation: AppNavigation;
  readonly steps: FirstSteps;
  readonly forms: StepForms;
  readonly kind: ShownKey["kind"];
  readonly visit: Pick<SignedInVisit, "settings" | "now" | "reads">;
}

const Steps = (props: StepsProps) => {
  const { navigation, steps, kind } = props;
  const { app, links } = navigation;
  return (
    <ConsolePage
      navigation={navigation}
      title="First steps"
      address={stepsAddress(links, app.id, kind)}
      narrow
    >
      <div class="head">
        <div>
          <h1>First steps</h1>
          <p>
            The steps from the first key to the first answer for <Line text={app.name} />.
          </p>
        </div>
        {!steps.putAway && (
          <form method="post" action={links.start(app.id, "put-away")}>
            <IdempotencyField />
            <button class="quiet small" type="submit">
              Hide
            </button>
          </form>
        )}
      </div>
      <ol class="first-steps">
        <Step id="step-name" title="Name your app" done>
          <p class="muted">
            <Line text={app.name} />
          </p>
        </Step>
        <Step id="step-key" title="Create a key" done={steps.hasKey}>
          <KeyStep {...props} />
        </Step>
        <Step id="step-report" title="Send a report" done={steps.report !== null}>
          <ReportStep {...props} />
        </Step>
        <Step
          title="Answer the report"
          done={steps.answered}
          id="step-answer"
          live={versionOf([steps.report?.id, steps.answered, app.senderPages])}
          news={steps.report === null ? undefined : "You can answer the report now."}
        >
          <AnswerStep {...props} />
        </Step>
      </ol>
    </ConsolePage>
  );
};

const Step = ({
  title,
  done,
  id,
  live,
  news,
  children,
}: {
  readonly title: string;
  readonly done: boolean;
  readonly id: string;
  /** The version of the step, if a script updates the step while the page is open. */
  readonly live?: string;
  readonly news?: string | undefined;
  readonly children: ComponentChildren;
}) => (
  <li id={id} {...focusable} data-live={live} data-news={news}>
    <h2 id={`${id}-title`} class={done ? "done" : undefined} data-live={live ?? versionOf(done)}>
      {title}
      <span class="unseen">{done ? " (done)" : " (to do)"}</span>
    </h2>
    <div class="stack">{children}</div>
  </li>
);

const focusable = { tabIndex: -1 };

const KeyStep = ({ navigation: { app, links }, steps, kind, forms: { key } }: StepsProps) => {
  if (key !== undefined)
    return (
      <Secret
        label={key.kind === "full" ? "The key for your server" : "The key for your app"}
        secret={key.key}
      />
    );
  return (
    <>
      {steps.hasKey && (
        <p class="muted">
          <Line text={app.name} /> has a key. Only its hash is stored, so it cannot be shown again.
        </p>
      )}
      <details class="reveal" open={!steps.hasKey}>
        <summary>{steps.hasKey ? "Create another key" : "Create a key"}</summary>
        <form class="stack" method="post" action={links.start(app.id, "keys")}>
          <IdempotencyField />
          <Choices
            form={filledWith({ kind })}
            name="kind"
            legend="What will send reports first?"
            options={kinds}
          />
          <div class="actions">
            <button class={steps.hasKey ? undefined : "primary"} type="submit">
              Create key
            </button>
          </div>
        </form>
      </details>
    </>
  );
};

/** Says that the report has arrived. After a test report, this text gets the keyboard focus. */
const Arrived = ({
  isAnswer,
  children,
}: {
  readonly isAnswer: boolean | undefined;
  readonly children: ComponentChildren;
}) => (isAnswer ? <Notice done="test-report-sent">{children}</Notice> : <p>{children}</p>);

const ReportStep = ({
  navigation: { app, links },
  steps,
  forms: { key, refused, sent },
  kind,
  visit,
}: StepsProps) => (
  <>
    <Refused refusal={refused?.refusal} />
    <Calls
      calls={callsFor({ baseUrl: visit.settings.baseUrl, key: key?.key, kind })}
      hasKey={key !== undefined}
    />
    <div id="first-report" class="stack" data-live={versionOf(steps.report?.id ?? null)}>
      {steps.report ? (
        <Arrived isAnswer={sent}>
          <b>The first report has arrived</b>{" "}
          <span class="muted">
            <Ago at={steps.report.createdAt} now={visit.now} />
          </span>
        </Arrived>
      ) : (
        <>
          <p class="waiting-for">
            Waiting for the first report…{" "}
            <noscript>
              <a href={stepsAddress(links, app.id, kind)}>Load this page again</a>
            </noscript>
          </p>
          <form method="post" action={links.start(app.id, "test-report")} data-then="step-answer">
            <IdempotencyField />
            <KeptChoice shownKey={key} kind={kind} />
            <button class={steps.hasKey ? "primary" : undefined} type="submit">
              Send a test report
            </button>
          </form>
        </>
      )}
    </div>
  </>
);

/** The hidden fields that keep the shown key and the chosen kind on the next page. */
const KeptChoice = ({
  shownKey: shown,
  kind,
}: {
  readonly shownKey: ShownKey | undefined;
  readonly kind: ShownKey["kind"];
}) => <HiddenFields values={[["kind", kind], ...(shown ? [["key", shown.key] as const] : [])]} />;

/** The calls that send a report, in several languages. The page shows only one of them at a time. */
const Calls = ({ calls, hasKey }: { readonly calls: readonly Call[]; readonly hasKey: boolean }) => (
  <div class="calls">
    {calls.map(({ id, name, text }, at) => (
      <details key={id} name="call" open={at === 0}>
        <summary>{name}</summary>
        <div class="call">
          <pre id={id} {...scrolledByKeys}>
            {text}
          </pre>
          <button class="small" type="button" data-copies={id} hidden>
            Copy<span class="unseen">{` the call for ${name}`}</span>
          </button>
        </div>
      </details>
    ))}
    {!hasKey && <p class="hint">Replace sdk_… with your key.</p>}
  </div>
);

const AnswerStep = ({
  navigation: { app, links },
  steps: { report, answered },
  forms,
  kind,
  visit,
}: StepsProps) => {
  if (!report) return <p class="muted">The report appears here as soon as it arrives.</p>;
  const threadAt = links.thread(app.id, report.id);
  if (answered)
    return (
      <>
        <p>
          You have answered. All reports of <Line text={app.name} /> are in its inbox.
        </p>
        <div class="actions">
          <a class="button primary" href={links.inbox(app.id)}>
            Open the inbox
          </a>
          <a class="button" href={threadAt}>
            See the thread
          </a>
        </div>
      </>
    );
  const reaches = app.senderPages || visit.reads.sendsMail;
  return (
    <form class="stack" method="post" action={links.start(app.id, "answer")}>
      <Refused refusal={forms.answer?.refusal} />
      <IdempotencyField />
      <input type="hidden" name="thread" value={report.id} />
      <KeptChoice shownKey={forms.key} kind={kind} />
      <a href={threadAt}>
        <Line text={report.subject} />
      </a>
      <UserText text={report.message} />
      <TextArea
        form={forms.answer ?? filledWith({ replyBody: "Yes, it has arrived. Thank you!" })}
        name="replyBody"
        label="Your answer"
        size="short"
        required
      />
      {!app.senderPages && (
        <p class="hint">
          Sender pages are off. If you turn them on, each sender gets a private link to read your replies and
          answer.
        </p>
      )}
      <div class="actions">
        {!app.senderPages && (
          <button class="primary" type="submit" name="pages" value="on">
            Turn on sender pages and send
          </button>
        )}
        <button class={reaches ? "primary" : undefined} type="submit">
          Send the answer
        </button>
      </div>
    </form>
  );
};

const report = '{"type": "bug", "message": "The list is empty after syncing."}';

const curlCall = (url: string, key: string): string => `curl ${url} \\
  --header 'x-api-key: ${key}' \\
  --header 'Content-Type: application/json' \\
  --data '${report}'`;

const scriptCall = (url: string, key: string): string => `await fetch("${url}", {
  method: "POST",
  headers: { "x-api-key": "${key}", "Content-Type": "application/json" },
  body: JSON.stringify({ type: "bug", message: "The list is empty after syncing." }),
});`;

const kotlinCall = (url: string, key: string): string => `${emulatorHint(url)}// Not on the main thread.
val call = URL("${url}").openConnection() as HttpURLConnection
call.doOutput = true
call.setRequestProperty("x-api-key", "${key}")
call.setRequestProperty("Content-Type", "application/json")
call.outputStream.use { it.write("""${report}""".toByteArray()) }
check(call.responseCode == 201)`;

/** The hint for the Android emulator, which reaches this machine at another address. */
const emulatorHint = (url: string): string =>
  /\/\/(localhost|127\.)/.test(url) ? "// The Android emulator reaches this machine at 10.0.2.2.\n" : "";

const actionCall = (baseUrl: string): string => `# First store the key: gh secret set INNKEEP_API_KEY
- name: Report failing tests
  if: failure()
  uses: innkeep/innkeep@v0
  env:
    INNKEEP_BASE_URL: ${baseUrl}
  with:
    command: feedback send
    api-key: \${{ secrets.INNKEEP_API_KEY }}
    junit: reports/*.xml
    best-effort: true`;

const startPage = definePage({
  at: (links) => links.start(":appId"),
  needs: "owner",
  show: (visit) => showSteps(visit, { appId: visit.param("appId") }),
});

const beginPage = definePage({
  at: (links) => links.newStart,
  needs: "account",
  show: (visit) => showBegin(visit),
});

export const definitions: Definitions = [
  beginPage,
  defineForm({
    at: (links) => links.newStart,
    page: beginPage,
    act: begin,
    done: {},
    word: "begin",
    notDone: "No app was created.",
  }),
  startPage,
  defineForm({
    at: (links) => links.start(":appId", "keys"),
    page: startPage,
    act: createKey,
    done: {},
    word: "key",
    notDone: "No key was created.",
  }),
  defineForm({
    at: (links) => links.start(":appId", "test-report"),
    page: startPage,
    act: sendTestReport,
    done: {},
    word: "test-report",
    notDone: "No test report was sent.",
  }),
  defineForm({
    at: (links) => links.start(":appId", "answer"),
    page: startPage,
    act: answer,
    done: { "first-answer": "The answer is sent." },
    word: "first-answer",
    notDone: "The answer was not sent.",
  }),
  defineForm({
    at: (links) => links.start(":appId", "put-away"),
    page: startPage,
    act: putAway,
    done: { "put-away": "The first steps are hidden. You can find them under Settings." },
    word: "put-away",
    notDone: "The first steps were not hidden.",
  }),
];

/** A call that sends a report, as a text to copy. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Returns the calls that send a report. The calls that fit `kind` come first. */
function callsFor({
  baseUrl,
  key = "sdk_…",
  kind,
}: {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly kind: ShownKey["kind"];
}): readonly Call[] {
  const url = `${baseUrl}/api/v1/feedback/remote`;
  const curl = { id: "call-curl", name: "curl", text: curlCall(url, key) };
  const script = { id: "call-javascript", name: "JavaScript", text: scriptCall(url, key) };
  const kotlin = { id: "call-kotlin", name: "Kotlin", text: kotlinCall(url, key) };
  const action = { id: "call-action", name: "GitHub Action", text: actionCall(baseUrl) };
  return kind === "full" ? [curl, action, script, kotlin] : [curl, script, kotlin, action];
}
