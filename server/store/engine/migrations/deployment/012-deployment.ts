/** Values that a deployment stores about itself, by name. */
export const deployment = {
  number: 12,
  name: "deployment",
  statements: ["CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL)"],
};
