import { InTurns } from "../../console/in-turns.tsx";
import { LastUse } from "../../console/last-use.tsx";
import { Line } from "../../console/text.tsx";

export interface OtherAccessProps {
  readonly title: string;
  readonly about: string;
  readonly things: readonly {
    readonly id: string;
    readonly label: string;
    readonly lastUsedAt: string | null;
  }[];
  /** The page on which a person ends them. */
  readonly page: { readonly at: string; readonly name: string };
  readonly now: Date;
}

/** Devices or connections: their names and last use, and the way to the page that ends them. */
export const OtherAccess = ({ title, about, things, page, now }: OtherAccessProps) => (
  <section class="stack" aria-labelledby={title.toLowerCase()}>
    <div>
      <h2 id={title.toLowerCase()}>{title}</h2>
      <p class="muted small">{about}</p>
    </div>
    {things.length === 0 ? (
      <p>None.</p>
    ) : (
      <ul class="list">
        <InTurns>
          {things.map(({ id, label, lastUsedAt }) => (
            <li key={id}>
              <b>
                <Line text={label} />
              </b>
              <p class="under">
                <LastUse at={lastUsedAt} now={now} />
              </p>
            </li>
          ))}
        </InTurns>
      </ul>
    )}
    {things.length > 0 && (
      <p>
        You end them under <a href={page.at}>{page.name}</a>.
      </p>
    )}
  </section>
);
