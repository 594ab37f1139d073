export interface PagerProps {
  /** The address of the list's beginning; undefined on its first page. */
  readonly first: string | undefined;
  readonly next: string | undefined;
}

export const Pager = ({ first, next }: PagerProps) =>
  first === undefined && next === undefined ? null : (
    <nav class="pager" aria-label="Pages">
      {first === undefined ? (
        <span />
      ) : (
        <a class="button" href={first}>
          Back to the newest
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} rel="next">
          Older
        </a>
      )}
    </nav>
  );
