import { Ago } from "./timestamp.tsx";

const hourMilliseconds = 3_600_000;

/** When a credential was last used. Only the hour is recorded, not the minute. */
export const LastUse = ({ at, now }: { readonly at: string | null; readonly now: Date }) => {
  if (at === null) return <span>never used</span>;
  if (now.getTime() - Date.parse(at) < hourMilliseconds) return <span>used in the last hour</span>;
  return (
    <span>
      used <Ago at={at} now={now} />
    </span>
  );
};
