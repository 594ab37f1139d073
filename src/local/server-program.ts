/** The folder of the built file that holds this module. The build puts in the right expression for its format. */
declare const INNKEEP_FOLDER: string;

/** The built file of the server. */
export const serverProgram = `${INNKEEP_FOLDER}/dev-server.js`;
