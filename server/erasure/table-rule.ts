/**
 * What a column of texts can hold of a person.
 *
 * - `plain`: ids, hashes, states, instants and other texts that no person types
 * - `address`: an e-mail address, or what a sender gave in its place
 * - `name`: the name of a person
 * - `account`: the id of the account of a person
 * - `text`: what people write
 * - `json`: the same as JSON
 * - `key`: names that programs make, and in which an address may be joined to other words
 * - `sealed`: encrypted texts
 * - `network`: the network address of a person
 */
export type Holding =
  | "plain"
  | "address"
  | "name"
  | "account"
  | "text"
  | "json"
  | "key"
  | "sealed"
  | "network";

/** The columns of a table by what they can hold. */
export type Holdings = Readonly<Partial<Record<Holding, readonly string[]>>>;

/** The rule of a table: what it holds of people, and what happens to that when a person is erased. (rule P1) */
export interface TableRule {
  /**
   * `app`: an owner erases a person here. `account`: it goes with the account, which only its person or the operator
   * deletes. `deployment`: it belongs to the server.
   */
  readonly of: "app" | "account" | "deployment";
  /** What an erasure does with what the table holds of the person, or why it keeps it. */
  readonly erase: string;
  /** Each column of texts stands here once. */
  readonly holds: Holdings;
}
