import { AppFields } from "../components/app-fields.tsx";
import type { Filled } from "../components/field.tsx";
import { Framed } from "../components/framed.tsx";
import { Refused } from "../components/notice.tsx";
import { Once } from "../components/once.tsx";
import { filledWith } from "../filled.ts";
import { frameOf } from "../frame.ts";
import { type Reply, show } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

export const newAppPage = (visit: SignedInVisit): Promise<Reply> => showNewApp(visit);

export async function showNewApp(
  visit: SignedInVisit,
  form: Filled = filledWith({ feedbackEnabled: "on", changelogEnabled: "on" }),
): Promise<Reply> {
  const frame = await frameOf(visit);
  return show(
    <Framed frame={frame} title="New app" narrow>
      <div class="head">
        <div>
          <h1>New app</h1>
          <p>A mobile app, a backend or a website that your users give feedback on.</p>
        </div>
      </div>
      <form class="card stack" method="post" action={frame.links.newApp} data-guards>
        <Refused refusal={form.refusal} />
        <Once />
        <AppFields form={form} />
        <div class="actions">
          <button class="primary" type="submit">
            Create app
          </button>
        </div>
      </form>
    </Framed>,
    form.refusal?.status,
  );
}
