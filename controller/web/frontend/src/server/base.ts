// Where this page's own routes lie: the pit's page has a session of its own, below its own address.

/** The address of the pit's page. */
export const PIT_PAGE = "/pit";

const isPit = (path: string): boolean => path === PIT_PAGE || path.startsWith(`${PIT_PAGE}/`);

/** A path of the server as this page asks for it. */
export const at = (path: string): string => (isPit(location.pathname) ? PIT_PAGE : "") + path;
