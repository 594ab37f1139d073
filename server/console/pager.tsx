export interface PagerProps {
  /** The address of the first page; undefined on the first page itself. */
  readonly first: string | undefined;
  readonly next: string | undefined;
  readonly firstWords?: string;
  readonly nextWords?: string;
}

export const Pager = ({ first, next, firstWords = "Back to the newest", nextWords = "Older" }: PagerProps) =>
  first === undefined && next === undefined ? null : (
    <nav class="pager" aria-label="Pages">
      {first === undefined ? (
        <span />
      ) : (
        <a class="button" href={first}>
          {firstWords}
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} rel="next">
          {nextWords}
        </a>
      )}
    </nav>
  );
