import type { Filled } from "../../kit/form/field.tsx";
import { filledWith } from "../../kit/form/filled-form.ts";
import { IdempotencyField } from "../../kit/form/idempotency-field.tsx";
import { ConsolePage } from "../../kit/layout/console-page.tsx";
import { navigationOf } from "../../kit/layout/navigation.ts";
import { Refused } from "../../kit/layout/notice.tsx";
import { type Reply, show } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
import { AppFields } from "./app-fields.tsx";

export const newAppPage = (visit: SignedInVisit): Promise<Reply> => showNewApp(visit);

export async function showNewApp(
  visit: SignedInVisit,
  form: Filled = filledWith({ feedbackEnabled: "on", changelogEnabled: "on" }),
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="New app" narrow>
      <div class="head">
        <div>
          <h1>New app</h1>
          <p>
            A mobile app, a backend or a website that your users give feedback on. You have a file of an app?{" "}
            <a href={navigation.links.importApp}>Import it</a>.
          </p>
        </div>
      </div>
      <form class="card stack" method="post" action={navigation.links.newApp} data-guards>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <AppFields form={form} />
        <div class="actions">
          <button class="primary" type="submit">
            Create app
          </button>
        </div>
      </form>
    </ConsolePage>,
    form.refusal?.status,
  );
}
