/** The mark of a place of files: it names the deployment to which the files belong. */
export interface PlaceMark {
  /** The id of the deployment; undefined if the place has none. */
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
  holdsFiles(): Promise<boolean>;
  /** Whether each start writes the id again, to find out whether it may write there. */
  readonly isTried: boolean;
}
