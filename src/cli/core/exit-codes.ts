/** Every way a command ends. `innkeep help exit-codes` prints this table. */
export const exitCodes = {
  ok: { code: 0, meaning: "Done. Also for answers such as `matched: false`." },
  unexpected: { code: 1, meaning: "Something unexpected went wrong, or `doctor` found a fault." },
  usage: { code: 2, meaning: "The command line or a value in it is wrong." },
  differences: { code: 3, meaning: "There are differences, and --exit-code asked for them." },
  authentication: { code: 4, meaning: "A credential is missing, expired or not accepted." },
  forbidden: { code: 5, meaning: "Not allowed with this credential, or turned off for the app." },
  notFound: { code: 6, meaning: "Not found." },
  conflict: { code: 7, meaning: "Not possible in the current state." },
  pending: { code: 8, meaning: "Nobody has decided yet, or nothing came while the command waited." },
  rejected: { code: 9, meaning: "A person rejected the proposal." },
  incomplete: { code: 10, meaning: "Done, but files are missing in the backup: the answer lists them." },
  tryLater: { code: 75, meaning: "No connection, or the server is busy: try again later." },
  interrupted: { code: 130, meaning: "Interrupted." },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type Exit = keyof typeof exitCodes;
