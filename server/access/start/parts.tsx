import { Choices, type Filled, filledWith, IdempotencyField, TextField } from "../../console/forms.tsx";
import { ConsolePage, type Navigation } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { StartedApp } from "../../console/page-reads.ts";
import { Line, Refused } from "../../console/parts.tsx";

/** The page on which a person creates an app together with its first key. */
export const Begin = ({
  navigation,
  form = filledWith({ kind: "intake" }),
}: {
  readonly navigation: Navigation;
  readonly form?: Filled | undefined;
}) => (
  <ConsolePage navigation={navigation} title="Welcome" narrow>
    <div class="head">
      <div>
        <h1>{navigation.apps.length === 0 ? "Welcome to Innkeep" : "New app"}</h1>
        <p>Name your app, send it a first report, and answer it. This takes a few minutes.</p>
      </div>
    </div>
    <div class="stack">
      <form class="card stack" method="post" action={navigation.links.newStart}>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <TextField form={form} name="name" label="Name of your app" autocomplete="off" required />
        <Choices form={form} name="kind" legend="What will send reports first?" options={kinds} />
        <div class="actions">
          <button class="primary" type="submit">
            Create the app and its key
          </button>
        </div>
      </form>
      <p class="muted small">
        Do you have an exported app? <a href={navigation.links.importApp}>Import it</a>. If you want to test
        somebody's app, sign in on the device that you test with. You then find the device under{" "}
        <a href={navigation.links.devices}>Devices</a>.
      </p>
    </div>
  </ConsolePage>
);

/** The kinds of keys. The texts are for a person who creates a key for the first time. */
export const kinds = [
  {
    value: "intake",
    label: "A mobile app, a desktop app or a website",
    hint: "An intake key. You may publish it as a part of your app. It can only send feedback, read the FAQ and the release notes, and report sessions of a test.",
  },
  {
    value: "full",
    label: "A server or CI",
    hint: "A full key. Keep it secret, because it can do more than an intake key: it can also write the FAQ.",
  },
] as const;

/** Links to the first steps of an app, for an owner who has neither finished nor hidden them. */
export const ToFirstSteps = ({
  app: { id, name, hasKey, hasReport, answered },
  links,
}: {
  readonly app: StartedApp;
  readonly links: Links;
}) => {
  const done = 1 + hasKey + hasReport + answered;
  return (
    <section class="card first-steps-left" aria-label="First steps">
      <p>
        <b>
          First steps with <Line text={name} />
        </b>
        <span class="muted">{` ${done} of 4 done`}</span>
      </p>
      <div class="actions">
        <form method="post" action={links.start(id, "put-away")}>
          <IdempotencyField />
          <button class="quiet small" type="submit">
            Hide
          </button>
        </form>
        <a class="button primary" href={links.start(id)}>
          Continue
        </a>
      </div>
    </section>
  );
};
