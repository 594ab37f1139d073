// A command starts this process when the command ends. The process requests the newest version from the registry, and
// stores it for later commands.
import os from "node:os";
import { checkForUpdate } from "../src/cli/update.ts";
import { homeFolder } from "../src/credentials/folders.ts";

const folders = { env: process.env, home: homeFolder(os), platform: process.platform };
const end = () => process.exit();
void checkForUpdate(folders, () => crypto.randomUUID()).then(end, end);
