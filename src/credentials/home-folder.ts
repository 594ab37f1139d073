/** What the system knows of the person who runs the program. */
interface System {
  readonly homedir: () => string;
  readonly userInfo: () => { readonly homedir: string };
}

/** The folder of the person. With an empty HOME, files would go into the folder of the command. */
export function homeFolder({ homedir, userInfo }: System): string {
  const home = homedir();
  if (home !== "") return home;
  try {
    return userInfo().homedir;
  } catch {
    // The system does not know this user, as in some containers.
    return "/";
  }
}
